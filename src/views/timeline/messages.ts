import * as v from "valibot";
import type { Mark, Span as ActivitySpan, SpanKind } from "../../executions/activity.ts";
import type { Duration } from "../../executions/times.ts";
import type { Period } from "./axis.ts";
import type { timelineContent } from "./content.ts";

export type { Mark, SpanKind } from "../../executions/activity.ts";

export interface Span extends Omit<ActivitySpan, "state"> {
  /** `waiting`: what a wait for a person is part of. `unknown`: what it does since its end isn't known. `interrupted` may go on. */
  readonly state: ActivitySpan["state"] | "waiting" | "unknown";
  readonly cost?: string;
  readonly marks?: readonly Mark[];
  /** This and the next: of a task, as its other views show it. */
  readonly worked?: Duration;
  readonly waited?: Duration;
  /** Of a task or an attempt (milliseconds since 1970). */
  readonly pauses?: readonly { readonly start: number; readonly end?: number }[];
}

/** All that a timeline shows. Its spans each follow their parent; the first is the crew's. */
export type TimelineView = ReturnType<typeof timelineContent>;

export type ToTimeline =
  | { readonly type: "show"; readonly view: TimelineView }
  | { readonly type: "empty"; readonly text: string };

export interface Look {
  readonly localId: string;
  readonly closed: readonly string[];
  readonly text: string;
  readonly kinds: readonly SpanKind[];
  readonly zoom?: Period | undefined;
  readonly active?: string;
}

export function lookAt(localId: string, kept?: Look): Look {
  return kept?.localId === localId ? kept : { localId, closed: [], text: "", kinds: [] };
}

const place = { localId: v.string(), spanId: v.string() };

/** What the page sends: it isn't trusted. */
export const fromTimeline = v.variant("type", [
  v.object({ type: v.literal("ready") }),
  v.object({ type: v.literal("reveal"), ...place, takesFocus: v.boolean() }),
  v.object({ type: v.literal("define"), ...place }),
]);

export type FromTimeline = v.InferOutput<typeof fromTimeline>;
