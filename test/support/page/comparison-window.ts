import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import * as v from "valibot";
import { activityOf } from "../../../src/executions/activity.ts";
import type { ActivityEvent } from "../../../src/api/types.ts";
import type { Execution } from "../../../src/executions/model.ts";
import type { Price } from "../../../src/executions/tokens.ts";
import { withTimes } from "../../../src/executions/task-times.ts";
import {
  fromComparison,
  type FromComparison,
  onSides,
  type Side,
  type Sides,
  type ToComparison,
} from "../../../src/views/comparison/messages.ts";
import { comparisonModel } from "../../../src/views/comparison/model.ts";
import { timelineContent } from "../../../src/views/timeline/content.ts";
import { BuiltPage, type BuiltPageOptions, eachWithPage } from "../built-page.ts";

export interface ComparedSample {
  readonly execution: Execution;
  readonly events?: readonly ActivityEvent[];
}

interface ComparisonWindowOptions extends Omit<BuiltPageOptions, "name"> {
  readonly pair: Sides<ComparedSample>;
  readonly prices?: readonly Price[];
  /** Of the extension host (milliseconds since 1970). */
  readonly now?: number;
}

/** The built page of a comparison with the real model; VS Code's part is simulated. */
export class ComparisonWindow {
  #built: BuiltPage | undefined;
  #messages: readonly ToComparison[] = [];
  /** What the page sent, understood as the extension host does. */
  readonly sent: FromComparison[] = [];

  constructor() {
    eachWithPage(() => this.#built);
  }

  /** Changes the theme of the open page, as VS Code does. */
  async setTheme(theme: string): Promise<void> {
    await this.#built?.setTheme(theme);
  }

  async open(options: ComparisonWindowOptions): Promise<Page> {
    this.sent.splice(0);
    this.#messages = messagesOf(options);
    this.#built = await BuiltPage.open({ ...options, name: "comparison" });
    await this.#built.load((raw) => this.#receive(raw));
    await this.page.locator("table").first().waitFor();
    return this.page;
  }

  get page(): Page {
    assert.ok(this.#built !== undefined, "the test has opened a comparison");
    return this.#built.page;
  }

  /** Shows a later state. */
  async show(options: ComparisonWindowOptions): Promise<void> {
    this.#messages = messagesOf(options);
    for (const part of this.#messages) await this.#built?.post(part);
  }

  #receive(raw: unknown): void {
    const message = v.parse(fromComparison, raw);
    this.sent.push(message);
    if (message.type !== "ready") return;
    for (const part of this.#messages) void this.#built?.post(part);
  }
}

function messagesOf(options: ComparisonWindowOptions): readonly ToComparison[] {
  const { pair, prices = [], now = Date.now() } = options;
  const kept = onSides(pair, ({ events = [] }) => ({ events, folded: {} }));
  const executions = {
    left: withTimes(pair.left.execution, kept.left),
    right: withTimes(pair.right.execution, kept.right),
  };
  const viewOf = (side: Side) =>
    timelineContent(executions[side], activityOf(executions[side], kept[side]), now, prices);
  const views = { left: viewOf("left"), right: viewOf("right") };
  return [
    { type: "timelines", views },
    {
      type: "show",
      model: comparisonModel(executions, prices),
      pair: onSides(executions, ({ localId }) => localId),
    },
  ];
}
