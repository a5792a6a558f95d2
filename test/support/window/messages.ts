import type { Locator, Page } from "playwright-core";

/** What VS Code says to a person: notifications, modal dialogs, the status bar. */
export class Messages {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** A notification in view by words in it; wait for it with `.waitFor()`. */
  notification(words: string | RegExp): Locator {
    return this.#page.locator(".notification-toast").filter({ hasText: words });
  }

  /** Waits for a notification and presses one of its buttons. */
  async answer(words: string | RegExp, button: string): Promise<void> {
    await this.notification(words).getByRole("button", { name: button, exact: true }).click();
  }

  /** A modal dialog by words in it. */
  dialog(words: string | RegExp): Locator {
    return this.#page.locator(".monaco-dialog-box").filter({ hasText: words });
  }

  /** Waits for a modal dialog and presses one of its buttons. */
  async confirm(words: string | RegExp, button: string): Promise<void> {
    await this.dialog(words).getByRole("button", { name: button, exact: true }).click();
  }

  /** An item of the status bar by words in it. */
  statusItem(words: string | RegExp): Locator {
    return this.#page.locator(".part.statusbar .statusbar-item").filter({ hasText: words });
  }
}
