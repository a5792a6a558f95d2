import { activityOf } from "../../../../src/executions/activity.ts";
import { timelineContent } from "../../../../src/views/timeline/content.ts";
import type { TimelineView } from "../../../../src/views/timeline/messages.ts";
import type { Price } from "../../../../src/executions/tokens.ts";
import { longExecution, start, variedExecution } from "../../../support/timeline/samples.ts";

/** What the timeline shows of a sample, an hour after its start. */
export function contentOf(name: "varied" | "long", prices: readonly Price[] = []): TimelineView {
  const { execution, events } = name === "varied" ? variedExecution() : longExecution(5_000);
  return timelineContent(execution, activityOf(execution, { events, left: 0 }), start + 3_600_000, {
    prices,
  });
}
