/** Ends what it stands for: a listener, a timer, a watcher. The same shape as VS Code's. */
export interface Disposable {
  dispose(): void;
}

/** Subscribes to something that happens. The same shape as VS Code's `Event`. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** Tells listeners that something happened, without knowing VS Code. A listener that throws does not keep the others from hearing. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  readonly event: Event<T> = (listener) => {
    const own = (value: T) => {
      listener(value);
    };
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
