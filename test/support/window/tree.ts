import type { Locator, Page } from "playwright-core";
import { waitFor } from "../wait.ts";

export interface TreeRow {
  label: string;
  description: string;
  /** What a screen reader announces. */
  spoken: string;
  /** 1 for a row at the top level. */
  level: number;
  /** Undefined for a row without children. */
  isExpanded: boolean | undefined;
}

/** A row by its label; with the dimmed text behind it, where an execution has two rows. */
type RowText = string | RegExp | { readonly label: string; readonly description: string };

/** The tree in the side bar. */
export class Tree {
  readonly #page: Page;
  readonly #rows: Locator;

  constructor(page: Page) {
    this.#page = page;
    this.#rows = page.locator(".part.sidebar .customview-tree .monaco-list-row");
  }

  /** Opens a view container by its name in the activity bar, unless it is open. If the click closes one that has just opened by itself, opens it again. */
  async open(container: string): Promise<void> {
    const title = this.#page.locator(`.part.sidebar .composite.title:has-text("${container}")`);
    await waitFor(`the view ${container}`, async () => {
      if (await title.isVisible()) return true;
      await this.#item(container).click();
      return title.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => false,
      );
    });
  }

  /** The number on a view container's icon, as a locator: it is hidden when there is none. */
  badge(container: string): Locator {
    return this.#item(container).locator(".badge-content");
  }

  rows(): Promise<TreeRow[]> {
    return this.#rows.evaluateAll((elements) =>
      elements
        .sort((a, b) => Number(a.getAttribute("data-index")) - Number(b.getAttribute("data-index")))
        .map((row) => {
          const expanded = row.getAttribute("aria-expanded");
          return {
            label: row.querySelector(".label-name")?.textContent ?? "",
            description: row.querySelector(".label-description")?.textContent ?? "",
            spoken: row.getAttribute("aria-label") ?? "",
            level: Number(row.getAttribute("aria-level")),
            isExpanded: expanded === null ? undefined : expanded === "true",
          };
        }),
    );
  }

  /** Executions in their groups, from top to bottom. */
  async executions(): Promise<TreeRow[]> {
    return (await this.rows()).filter(
      ({ label, level }) => level === 2 && !/kick off…$/i.test(label),
    );
  }

  /** A row with this text, any of several; wait for it with `.waitFor()`. */
  row(text: RowText): Locator {
    const isLabel = typeof text === "string" || text instanceof RegExp;
    const { label, description } = isLabel ? { label: text, description: undefined } : text;
    const has = (part: string, hasText: string | RegExp) => ({
      has: this.#page.locator(part, { hasText }),
    });
    const named = this.#rows.filter(has(".label-name", label));
    return (
      description === undefined ? named : named.filter(has(".label-description", description))
    ).first();
  }

  async expand(text: string | RegExp): Promise<void> {
    const row = this.row(text);
    await row.waitFor();
    if ((await row.getAttribute("aria-expanded")) === "false")
      await row.locator(".monaco-tl-twistie").click();
  }

  /** Clicks an icon that a row shows while the mouse is over it, by its tooltip. */
  async action(text: string | RegExp, title: string): Promise<void> {
    const row = this.row(text);
    await this.#uncovered(async (timeout) => {
      await row.hover({ timeout });
      await row.locator(`.action-label[aria-label^="${title}"]`).click({ timeout });
    });
  }

  /** Waits for a row's tooltip that contains `part`, and returns its text. A redrawn row needs another move of the mouse. */
  async tooltip(text: string | RegExp, part: string): Promise<string> {
    const tooltip = this.#page.locator(".monaco-hover:visible", { hasText: part });
    const found = await waitFor(`a tooltip with “${part}”`, async () => {
      await this.#page.mouse.move(1, 1);
      await this.row(text).hover();
      // Read at once: a redrawn row closes it.
      return await tooltip.innerText({ timeout: 3_000 }).catch(() => undefined);
    });
    return found.replaceAll("\u00a0", " ");
  }

  async click(text: RowText): Promise<void> {
    await this.#uncovered((timeout) => this.row(text).click({ timeout }));
  }

  /** Chooses an entry of a row's context menu, in the submenus that are named before it. */
  async menu(text: RowText, ...entries: readonly string[]): Promise<void> {
    await this.#choose(entries, () => this.row(text).click({ button: "right" }));
  }

  /** Opens the menu again if the view is redrawn, which closes it. */
  async #choose(entries: readonly string[], open: () => Promise<void>): Promise<void> {
    const { keyboard } = this.#page;
    for (let left = 2; ; left--) {
      await open();
      try {
        for (const entry of entries) {
          // A new menu ignores clicks for a moment, but not the keyboard.
          await this.#page
            .getByRole("menuitem", { name: entry, exact: true })
            .hover({ timeout: 10_000 });
          await keyboard.press("Enter");
        }
        return;
      } catch (error) {
        if (left === 0) throw error;
        // Without an open menu the key would take focus from the row.
        if (await this.#page.getByRole("menu").last().isVisible()) await keyboard.press("Escape");
      }
    }
  }

  /** Another row's tooltip covers a row while the mouse is on it: moves the mouse aside and tries again. */
  async #uncovered(act: (timeout: number) => Promise<void>): Promise<void> {
    for (let left = 10; ; left--) {
      await this.#page.mouse.move(1, 1);
      try {
        await act(3_000);
        return;
      } catch (error) {
        if (left === 0) throw error;
      }
    }
  }

  #item(container: string): Locator {
    return this.#page.locator(
      `.activitybar .action-item:has(.action-label[aria-label^="${container}"])`,
    );
  }
}
