import type * as vscode from "vscode";

/** Owns things that end together; they end in the reverse order of their beginning. */
export class Disposables implements vscode.Disposable {
  readonly #owned: { dispose(): unknown }[] = [];

  add<T extends { dispose(): unknown }>(disposable: T): T {
    this.#owned.push(disposable);
    return disposable;
  }

  dispose(): void {
    for (let last = this.#owned.pop(); last !== undefined; last = this.#owned.pop()) last.dispose();
  }
}
