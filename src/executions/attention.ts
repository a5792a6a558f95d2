/** What the person can see in this window. */
export class Attention {
  #isVisible = false;
  #isFocused = false;
  readonly #open = new Set<string>();

  /** Whether this window has the focus. */
  get isFocused(): boolean {
    return this.#isFocused;
  }

  /** Whether the list of executions is shown, and the window has the focus. */
  setWindow(isVisible: boolean, isFocused: boolean): void {
    this.#isVisible = isVisible;
    this.#isFocused = isFocused;
  }

  /** Whether an execution's own document is shown. */
  setOpen(localId: string, isOpen: boolean): void {
    if (isOpen) {
      this.#open.add(localId);
    } else {
      this.#open.delete(localId);
    }
  }

  /** Whether somebody looks at this execution. */
  isOn(localId: string): boolean {
    return this.#isFocused && (this.#isVisible || this.#open.has(localId));
  }
}
