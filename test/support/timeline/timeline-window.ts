import type { Locator } from "playwright-core";
import { activityOf } from "../../../src/executions/activity.ts";
import type { ActivityEvent } from "../../../src/api/types.ts";
import type { Execution } from "../../../src/executions/model.ts";
import type { Price } from "../../../src/executions/tokens.ts";
import { timelineContent } from "../../../src/views/timeline/content.ts";
import {
  fromTimeline,
  type FromTimeline,
  type Look,
  type ToTimeline,
} from "../../../src/views/timeline/messages.ts";
import type { BuiltPageOptions } from "../built-page.ts";
import { PartWindow } from "../part-window.ts";
import { waitFor } from "../wait.ts";

/** What a timeline shows: an execution, and the crew's events. */
export interface Shown {
  readonly execution: Execution;
  readonly events: readonly ActivityEvent[];
  /** The extension host's clock (milliseconds since 1970). */
  readonly now?: number;
  readonly prices?: readonly Price[];
}

export class TimelineWindow extends PartWindow<FromTimeline, ToTimeline> {
  constructor() {
    super("timeline", fromTimeline);
  }

  async open(shown: Shown, options: Omit<BuiltPageOptions, "name"> = {}): Promise<void> {
    await this.begin(messagesOf(shown), { size: { width: 1100, height: 420 }, ...options });
    await this.tree.waitFor();
  }

  async show(shown: Shown): Promise<void> {
    await this.showAll(messagesOf(shown));
  }

  /** As VS Code does when a view is hidden and shown again: only the kept state remains. */
  async hideAndShow(): Promise<void> {
    await this.page.reload();
    await this.tree.waitFor();
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
  ): Promise<Extract<FromTimeline, { type: Type }>> {
    return waitFor(`a message of the type ${type}`, () =>
      this.sent.find(
        (message): message is Extract<FromTimeline, { type: Type }> => message.type === type,
      ),
    );
  }

  /** What VS Code keeps of the page. */
  async look(fits: (look: Look) => boolean): Promise<Look> {
    return waitFor("the look", async () => {
      const state = await this.page.evaluate(() => sessionStorage.getItem("state") ?? "{}");
      const { look } = JSON.parse(state) as { readonly look?: Look };
      return look !== undefined && fits(look) && look;
    });
  }
}

function messagesOf({ execution, events, now = Date.now(), prices = [] }: Shown): ToTimeline[] {
  const activity = activityOf(execution, { events, left: 0 });
  return [{ type: "show", view: timelineContent(execution, activity, now, { prices }) }];
}
