import type { Page } from "playwright-core";
import { activityOf } from "../../../src/executions/activity.ts";
import { withTimes } from "../../../src/executions/times.ts";
import type { ActivityEvent } from "../../../src/api/types.ts";
import type { Execution } from "../../../src/executions/model.ts";
import type { Price } from "../../../src/executions/tokens.ts";
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
import type { BuiltPageOptions } from "../built-page.ts";
import { PartWindow } from "../part-window.ts";

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

export class ComparisonWindow extends PartWindow<FromComparison, ToComparison> {
  constructor() {
    super("comparison", fromComparison);
  }

  async open(options: ComparisonWindowOptions): Promise<Page> {
    await this.begin(messagesOf(options), options);
    await this.page.locator("table").first().waitFor();
    return this.page;
  }

  async show(options: ComparisonWindowOptions): Promise<void> {
    await this.showAll(messagesOf(options));
  }
}

function messagesOf(options: ComparisonWindowOptions): readonly ToComparison[] {
  const { pair, prices = [], now = Date.now() } = options;
  const kept = onSides(pair, ({ events = [] }) => ({ events, left: 0 }));
  const timed = (side: Side) => {
    const { execution } = pair[side];
    return kept[side].events.length === 0
      ? execution
      : withTimes(execution, activityOf(execution, kept[side]));
  };
  const executions = { left: timed("left"), right: timed("right") };
  const viewOf = (side: Side) =>
    timelineContent(executions[side], activityOf(executions[side], kept[side]), now, { prices });
  return [
    {
      type: "show",
      model: comparisonModel(executions, { left: { prices }, right: { prices } }),
      timelines: { left: viewOf("left"), right: viewOf("right") },
    },
  ];
}
