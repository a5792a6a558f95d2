export class EventCount {
  #count = 0;
  #waiting: { readonly count: number; readonly resolve: () => void } | undefined;

  reset(): void {
    this.#count = 0;
  }

  add(): void {
    this.#count += 1;
    if (this.#waiting && this.#count >= this.#waiting.count) this.#waiting.resolve();
  }

  async reach(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiting = { count, resolve };
      if (this.#count >= count) resolve();
    });
  }
}
