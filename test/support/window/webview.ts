import type { Frame, FrameLocator, Locator, Page } from "playwright-core";
import { waitFor } from "../wait.ts";

/** The visible webview of an editor or a view: VS Code puts its page two frames deep. */
export class Webview {
  readonly #outer: Locator;

  constructor(page: Page, place: "editor" | "view") {
    const isView = '[src*="purpose=webviewView"]';
    const selector = place === "view" ? isView : `:not(${isView})`;
    this.#outer = page.locator(`iframe.webview.ready${selector}`).and(page.locator(":visible"));
  }

  /** For locators: `webview.content.getByLabel("Topic")`. */
  get content(): FrameLocator {
    return this.#outer.contentFrame().frameLocator("#active-frame");
  }

  /** The frame itself, for scripts such as axe-core. A webview that was hidden gets a new one when shown again. */
  frame(): Promise<Frame> {
    return waitFor("a webview", async () => {
      if ((await this.#outer.count()) === 0) return undefined;
      const handle = await this.content
        .locator("html")
        .elementHandle({ timeout: 1_000 })
        .catch(() => undefined);
      return (await handle?.ownerFrame()) ?? undefined;
    });
  }
}
