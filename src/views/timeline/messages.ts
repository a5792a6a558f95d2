import type { Mark, Span as ActivitySpan } from "../../executions/activity.ts";
import type { Duration } from "../../executions/durations.ts";
import type { ExecutionState } from "../../executions/model.ts";
import type { FromTimeline, Look } from "./parse.ts";

export type { SpanKind } from "../../executions/activity.ts";
export type { FromTimeline, Look, Mark };

/** With what else its row shows. */
export interface Span extends Omit<ActivitySpan, "state"> {
  /** `waiting`: what a wait for a person is part of. `unknown`: what it does since its end isn't known. `interrupted` may go on. */
  readonly state: ActivitySpan["state"] | "waiting" | "unknown";
  /** Of its tokens, estimated: beside its bar, and as a phrase. */
  readonly cost?: { readonly short: string; readonly text: string };
  /** The last ones, by time. */
  readonly marks?: readonly Mark[];
  /** How many marks are left out before these. */
  readonly earlierMarks?: number;
  /** This and the next: of a task, as its other views show it. */
  readonly worked?: Duration;
  readonly waited?: Duration;
  /** Of a task whose work isn't known yet (milliseconds since 1970). */
  readonly pauses?: readonly { readonly start: number; readonly end?: number }[];
}

/** What a timeline shows of an execution. */
export interface TimelineView {
  readonly localId: string;
  readonly title: string;
  readonly crew: string;
  readonly state: ExecutionState;
  readonly stateLabel: string;
  /** The extension host's clock (milliseconds since 1970). */
  readonly now: number;
  /** Whether its tasks are defined in a project on this machine. */
  readonly isLocal: boolean;
  /** Each after its parent; the first is the crew's. Its ID alone for one that hasn't changed. */
  readonly spans: readonly (Span | string)[];
  /** What is left out. */
  readonly note?: string;
}

export type ToTimeline =
  | { readonly type: "show"; readonly view: TimelineView }
  /** There is nothing to show. */
  | { readonly type: "empty"; readonly text: string };

/** How it is looked at: as `kept`, unless that is of another execution. */
export function lookAt(localId: string, kept: Look | undefined): Look {
  return kept?.localId === localId
    ? kept
    : { localId, closed: [], text: "", kinds: [], isWhole: false };
}
