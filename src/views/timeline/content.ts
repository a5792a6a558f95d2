import * as l10n from "@vscode/l10n";
import { pieceOf } from "../../base/text.ts";
import {
  type Activity,
  activityOf,
  type KeptEvents,
  type Span,
} from "../../executions/activity.ts";
import { hasEnded, isLocalCrew, type ExecutionSummary } from "../../executions/model.ts";
import { titleOf } from "../../executions/title.ts";
import { stateLabel } from "../labels.ts";
import type { TimelineView } from "./messages.ts";

/** Of a span's text; a tooltip shows the first lines (characters). */
const longest = 600;

export type TimelineContent = Omit<TimelineView, "spans"> & { readonly spans: readonly Span[] };

/** @param now milliseconds since 1970 */
export function timelineContent(
  execution: ExecutionSummary,
  events: KeptEvents,
  now: number,
): TimelineContent {
  return contentOfActivity(execution, activityOf(execution, events), now);
}

/** As {@link timelineContent}. */
export function contentOfActivity(
  execution: ExecutionSummary,
  { spans, folded }: Activity,
  now: number,
): TimelineContent {
  const left = Object.values(folded).reduce((sum, count) => sum + count, 0);
  return {
    localId: execution.localId,
    title: titleOf(execution),
    crew: execution.crew.name,
    state: execution.state,
    stateLabel: stateLabel(execution),
    now,
    hasEnded: hasEnded(execution),
    isLocal: isLocalCrew(execution.crew),
    spans: spans.map(shortened),
    ...(left === 0
      ? {}
      : { note: l10n.t("Not shown: {0} older events, because there are too many.", left) }),
  };
}

function shortened(span: Span): Span {
  const { text, error, arguments: given } = span;
  return {
    ...span,
    ...(text !== undefined && { text: beginning(text) }),
    ...(error !== undefined && { error: beginning(error) }),
    ...(given !== undefined && { arguments: beginning(given) }),
  };
}

function beginning(text: string): string {
  const { text: start, next } = pieceOf(text, 0, longest);
  return next === undefined ? start : `${start.trimEnd()} …`;
}

/** Remembers what a page has, so that only what changed is sent. */
export class Sent {
  readonly #json = new Map<string, string>();

  /** All is sent to a new page. */
  clear(): void {
    this.#json.clear();
  }

  changesIn({ spans, ...view }: TimelineContent): TimelineView {
    const before = new Map(this.#json);
    this.#json.clear();
    return {
      ...view,
      spans: spans.map((span) => {
        const json = JSON.stringify(span);
        this.#json.set(span.id, json);
        return before.get(span.id) === json ? span.id : span;
      }),
    };
  }
}
