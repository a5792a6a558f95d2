import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import * as v from "valibot";
import { activityOf } from "../../../src/executions/activity.ts";
import type { ActivityEvent } from "../../../src/api/types.ts";
import type { Execution } from "../../../src/executions/model.ts";
import type { Price } from "../../../src/executions/tokens.ts";
import { Sent, timelineContent } from "../../../src/views/timeline/content.ts";
import {
  fromTimeline,
  type FromTimeline,
  type Look,
} from "../../../src/views/timeline/messages.ts";
import { BuiltPage, eachWithPage, type BuiltPageOptions } from "../built-page.ts";
import { waitFor } from "../wait.ts";

/** What a timeline shows: an execution, and the crew's events. */
export interface Shown {
  readonly execution: Execution;
  readonly events: readonly ActivityEvent[];
  /** The extension host's clock (milliseconds since 1970). */
  readonly now?: number;
  readonly prices?: readonly Price[];
}

/** The timeline in its own page: the built page, script and style with the real content; VS Code's part is simulated. */
export class TimelineWindow {
  readonly received: FromTimeline[] = [];
  #built: BuiltPage | undefined;
  #shown: Shown | undefined;
  readonly #sent = new Sent();

  constructor() {
    eachWithPage(() => this.#built);
  }

  /** Changes the theme of the open page, as VS Code does. */
  async setTheme(theme: string): Promise<void> {
    await this.#page.setTheme(theme);
  }

  /** Before another is opened in the same test. Also fails if the console had errors. */
  async close(): Promise<void> {
    const { complaints } = this.#page;
    await this.#page.close();
    this.#built = undefined;
    assert.deepEqual(complaints, [], "what the console complained of");
  }

  async open(shown: Shown, options: Omit<BuiltPageOptions, "name"> = {}): Promise<void> {
    this.#shown = shown;
    this.received.length = 0;
    this.#built = await BuiltPage.open({
      name: "timeline",
      size: { width: 1100, height: 420 },
      ...options,
    });
    await this.#built.load((message) => this.#receive(message));
    await this.tree.waitFor();
  }

  async show(shown: Shown): Promise<void> {
    this.#shown = shown;
    const { execution, events, now = Date.now(), prices } = shown;
    const content = timelineContent(
      execution,
      activityOf(execution, { events, folded: {} }),
      now,
      prices,
    );
    await this.#page.post({ type: "show", view: this.#sent.changesIn(content) });
  }

  async showEmpty(text: string): Promise<void> {
    await this.#page.post({ type: "empty", text });
  }

  /** As VS Code does when a view is hidden and shown again: only the kept state remains. */
  async hideAndShow(): Promise<void> {
    await this.page.reload();
    await this.tree.waitFor();
  }

  get page(): Page {
    return this.#page.page;
  }

  get tree(): Locator {
    return this.page.getByRole("tree");
  }

  row(name: string | RegExp): Locator {
    return this.page.getByRole("treeitem", { name }).first();
  }

  /** The names of the rows in the page, from top to bottom, indented. */
  rows(): Promise<string[]> {
    return this.page.getByRole("treeitem").evaluateAll((rows) =>
      rows
        .sort((one, other) => Number(one.dataset["index"]) - Number(other.dataset["index"]))
        .map((row) => {
          const level = Number(row.getAttribute("aria-level"));
          return `${"  ".repeat(level - 1)}${row.querySelector(".label")?.textContent ?? ""}`;
        }),
    );
  }

  /** The name of the row that a screen reader is at. */
  async active(): Promise<string | null> {
    const id = await this.tree.getAttribute("aria-activedescendant");
    return id === null ? null : this.page.locator(`#${id} .label`).textContent();
  }

  /** Waits for the next message of this type. */
  async message<Type extends FromTimeline["type"]>(
    type: Type,
    fits: (message: Extract<FromTimeline, { type: Type }>) => boolean = () => true,
  ): Promise<Extract<FromTimeline, { type: Type }>> {
    return waitFor(`a message of the type ${type}`, () =>
      this.received.find(
        (message): message is Extract<FromTimeline, { type: Type }> =>
          message.type === type && fits(message as Extract<FromTimeline, { type: Type }>),
      ),
    );
  }

  /** The page's own state as the extension gets it. */
  async look(fits: (look: Look) => boolean): Promise<Look> {
    return (await this.message("look", ({ look }) => fits(look))).look;
  }

  get #page(): BuiltPage {
    assert.ok(this.#built !== undefined, "the test has opened the timeline");
    return this.#built;
  }

  #receive(raw: unknown): void {
    const message = v.parse(fromTimeline, raw);
    this.received.push(message);
    if (message.type !== "ready" || this.#shown === undefined) return;
    this.#sent.clear();
    void this.show(this.#shown);
  }
}
