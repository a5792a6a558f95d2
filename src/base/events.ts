/** The same shape as VS Code's. */
export interface Disposable {
  dispose(): void;
}

/** Subscribes to an event. The same shape as VS Code's `Event`. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** Fires an event, without VS Code. A listener that throws doesn't stop the others. */
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

/** Disposes of its members together, in reverse order. */
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
