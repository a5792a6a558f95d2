import type { Locator, Page } from "playwright-core";

/** VS Code's notifications, modal dialogs and status bar. */
export class Messages {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** A notification in view by text in it; wait for it with `.waitFor()`. */
  notification(text: string | RegExp): Locator {
    return this.#page.locator(".notification-toast").filter({ hasText: text });
  }

  /** Waits for a notification and presses one of its buttons. */
  async answer(text: string | RegExp, button: string): Promise<void> {
    await this.notification(text).getByRole("button", { name: button, exact: true }).click();
  }

  /** A modal dialog by text in it. */
  dialog(text: string | RegExp): Locator {
    return this.#page.locator(".monaco-dialog-box").filter({ hasText: text });
  }

  /** Waits for a modal dialog and presses one of its buttons. */
  async confirm(text: string | RegExp, button: string): Promise<void> {
    await this.dialog(text).getByRole("button", { name: button, exact: true }).click();
  }

  /** An item of the status bar by text in it. */
  statusItem(text: string | RegExp): Locator {
    return this.#page.locator(".part.statusbar .statusbar-item").filter({ hasText: text });
  }
}
