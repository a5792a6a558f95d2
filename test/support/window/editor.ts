import type { Locator, Page } from "playwright-core";
import { waitFor } from "../wait.ts";

/** The focused text editor and its lenses. */
export class Editor {
  readonly #page: Page;
  readonly #group: Locator;

  constructor(page: Page) {
    this.#page = page;
    this.#group = page.locator(".editor-group-container.active");
  }

  tab(name: string | RegExp): Locator {
    return this.#page.locator(".tabs-container .tab").filter({ hasText: name });
  }

  activeTab(name: string | RegExp): Locator {
    return this.#group.locator(".tabs-container .tab.active").filter({ hasText: name });
  }

  /** The lines in view, as text. */
  async visibleText(): Promise<string> {
    const lines = this.#group.locator(".editor-instance .lines-content > .view-lines > .view-line");
    const placed = await lines.evaluateAll((elements) =>
      elements.map((line) => ({ top: line.getBoundingClientRect().top, text: line.textContent })),
    );
    return placed
      .sort((a, b) => a.top - b.top)
      .map((line) => line.text.replaceAll("\u00a0", " "))
      .join("\n");
  }

  /** Waits until the lines in view contain a text. Sticky headings count, too: a document may open below its first line. */
  async waitForText(text: string | RegExp): Promise<void> {
    const sticky = this.#group.locator(".editor-instance .sticky-widget .sticky-line-content");
    await waitFor(`the text ${String(text)} in the editor`, async () => {
      const headings = (await sticky.allTextContents()).map((line) =>
        line.replaceAll("\u00a0", " "),
      );
      const shown = [...headings, await this.visibleText()].join("\n");
      return typeof text === "string" ? shown.includes(text) : text.test(shown);
    });
  }

  /** The whole document, through the clipboard: selects everything, then clears the selection. */
  async wholeText(): Promise<string> {
    return waitFor("the whole document on the clipboard, and its beginning in view", async () => {
      // An opening document or a closing webview may take focus: then try again.
      await this.#group.locator(".native-edit-context, textarea.inputarea").first().focus();
      const isCleared = await this.#page.evaluate(() =>
        navigator.clipboard.writeText("").then(
          () => true,
          () => false,
        ),
      );
      if (!isCleared) return undefined;
      await this.#page.keyboard.press("ControlOrMeta+a");
      await this.#page.keyboard.press("ControlOrMeta+c");
      const copied = await this.#page.evaluate(() =>
        navigator.clipboard.readText().catch(() => ""),
      );
      if (copied === "") return undefined;
      const [firstLine = ""] = copied.split("\n");
      // A change of the document at this moment scrolls back to the selection.
      const isInView = await waitFor(
        "its beginning in view",
        async () => {
          await this.#page.keyboard.press("ControlOrMeta+Home");
          return (await this.visibleText()).startsWith(firstLine);
        },
        3_000,
      ).catch(() => false);
      // It may have been the previous document.
      return isInView ? copied : undefined;
    });
  }

  /** A code lens in view, by its exact title. Out of view, VS Code keeps lenses as they were. */
  lens(title: string): Locator {
    return this.#group
      .locator(".codelens-decoration a")
      .getByText(title, { exact: true })
      .filter({ visible: true });
  }
}
