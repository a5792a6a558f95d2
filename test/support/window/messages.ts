import type { Locator, Page } from "playwright-core";

export class Messages {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  notification(text: string | RegExp): Locator {
    return this.#page.locator(".notification-toast").filter({ hasText: text });
  }

  async answer(text: string | RegExp, button: string): Promise<void> {
    await this.notification(text).getByRole("button", { name: button, exact: true }).click();
  }

  dialog(text: string | RegExp): Locator {
    return this.#page.locator(".monaco-dialog-box").filter({ hasText: text });
  }

  async confirm(text: string | RegExp, button: string): Promise<void> {
    await this.dialog(text).getByRole("button", { name: button, exact: true }).click();
  }

  statusItem(text: string | RegExp): Locator {
    return this.#page.locator(".part.statusbar .statusbar-item").filter({ hasText: text });
  }
}
