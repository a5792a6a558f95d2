import * as vscode from "vscode";

export class MemorySecrets implements vscode.SecretStorage {
  readonly kept = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.SecretStorageChangeEvent>();
  readonly onDidChange = this.#changed.event;

  keys(): Thenable<string[]> {
    return Promise.resolve([...this.kept.keys()]);
  }
  get(key: string): Thenable<string | undefined> {
    return Promise.resolve(this.kept.get(key));
  }
  store(key: string, value: string): Thenable<void> {
    this.kept.set(key, value);
    this.#changed.fire({ key });
    return Promise.resolve();
  }
  delete(key: string): Thenable<void> {
    this.kept.delete(key);
    this.#changed.fire({ key });
    return Promise.resolve();
  }
}

export class MemoryMemento implements vscode.Memento {
  readonly #kept = new Map<string, unknown>();

  keys(): readonly string[] {
    return [...this.#kept.keys()];
  }
  get<T>(key: string, fallback?: T): T | undefined {
    return this.#kept.has(key) ? (this.#kept.get(key) as T) : fallback;
  }
  update(key: string, value: unknown): Thenable<void> {
    if (value === undefined) this.#kept.delete(key);
    else this.#kept.set(key, value);
    return Promise.resolve();
  }
  setKeysForSync(): void {
    // Nothing is synced here.
  }
}
