import type { Locator, Page } from "playwright-core";
import { longestWait, waitFor } from "../wait.ts";

/** VS Code's box at the top of the window: command palette, input boxes and quick picks. */
export class QuickInput {
  readonly widget: Locator;
  readonly input: Locator;
  readonly rows: Locator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.widget = page.locator(".quick-input-widget");
    this.input = this.widget.locator(".quick-input-box input");
    this.rows = this.widget.locator(".quick-input-list .monaco-list-row");
  }

  async waitFor(prompt: string): Promise<void> {
    await waitFor(`a box that says "${prompt}"`, () => this.asks(prompt));
  }

  async asks(prompt: string): Promise<boolean> {
    return (await this.#text()).includes(prompt);
  }

  async answer(prompt: string, text: string): Promise<void> {
    await this.waitFor(prompt);
    await this.input.fill(text);
    await this.press("Enter");
  }

  /** Chooses the row with exactly this label in the box with `prompt`, with the keyboard. */
  async choose(prompt: string, label: string): Promise<void> {
    await this.waitFor(prompt);
    await this.#goTo(label);
    await this.press("Enter");
  }

  /** Presses a key in the open box, also if something else has taken the focus. */
  async press(key: string): Promise<void> {
    await this.input.press(key);
  }

  async labels(): Promise<string[]> {
    return trimmed(this.rows.locator(".quick-input-list-label .label-name"));
  }

  async dismiss(): Promise<void> {
    await this.press("Escape");
    await this.widget.waitFor({ state: "hidden" });
  }

  /**
   * Runs a command through the command palette; `title` with its category, such as "Crewdeck: Kickoff".
   * F1 is pressed again while there is no palette: a webview that is still loading loses the key. The palette is opened again while
   * it lacks the command: just after the start, extensions' commands are still missing.
   */
  async runCommand(title: string): Promise<void> {
    const palette = "Type the name of a command to run";
    await waitFor(`the command "${title}" in the palette`, async () => {
      await this.#page.keyboard.press("F1");
      const isOpen = await waitFor(palette, () => this.asks(palette), 3_000).catch(() => false);
      if (!isOpen) return false;
      await this.input.fill(`>${title}`);
      const isOffered = await this.#offers(title, 1_000);
      if (!isOffered) await this.dismiss();
      return isOffered;
    });
    await this.#goTo(title);
    await this.press("Enter");
  }

  async #offers(label: string, limit: number): Promise<boolean> {
    const isOffered = async (): Promise<boolean> => (await this.labels()).includes(label);
    return waitFor(`the row "${label}"`, isOffered, limit).then(
      () => true,
      () => false,
    );
  }

  async #goTo(label: string): Promise<void> {
    const isOffered = await this.#offers(label, longestWait);
    const labels = await this.labels();
    if (!isOffered)
      throw new Error(
        `"${label}" is not offered; offered are: ${labels.join(" | ") || "nothing"}.`,
      );
    const focused = this.rows
      .and(this.#page.locator(".focused"))
      .locator(".quick-input-list-label .label-name");
    for (let step = 0; step <= labels.length; step++) {
      const [before] = await trimmed(focused);
      if (before === label) return;
      await this.press("ArrowDown");
      // A busy window moves focus a moment later; with one row, it doesn't move.
      await waitFor(
        "another focused row",
        async () => (await trimmed(focused))[0] !== before,
        1_000,
      ).catch(() => undefined);
    }
    throw new Error(`The row "${label}" could not be reached with the arrow keys.`);
  }

  async #text(): Promise<string> {
    if (!(await this.widget.isVisible())) return "";
    return [await this.widget.innerText(), await this.input.getAttribute("placeholder")].join("\n");
  }
}

/** Texts without the space that an icon adds before them. */
async function trimmed(locator: Locator): Promise<string[]> {
  return (await locator.allInnerTexts()).map((text) => text.trim());
}
