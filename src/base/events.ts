export interface Disposable {
  dispose(): void;
}

/** The same shape as VS Code's `Event`. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** The same shape as VS Code's `SecretStorage`. */
export interface SecretStorage {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
}

/** A listener that throws doesn't stop the others. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  readonly event: Event<T> = (listener) => {
    const own = (value: T) => listener(value);
    this.#listeners.add(own);
    return { dispose: () => this.#listeners.delete(own) };
  };

  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

/** Disposes of its members in reverse order. */
export class Disposables implements Disposable {
  readonly #owned: { dispose(): unknown }[] = [];

  add<T extends { dispose(): unknown }>(disposable: T): T {
    this.#owned.push(disposable);
    return disposable;
  }

  dispose(): void {
    for (let last = this.#owned.pop(); last !== undefined; last = this.#owned.pop()) last.dispose();
  }
}
