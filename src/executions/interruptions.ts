import type { ActivityEvent } from "../api/types.ts";
import type { Activity } from "./activity.ts";
import type { ExecutionSummary } from "./model.ts";

/** From the last event before it until a person let the execution continue (milliseconds since 1970). */
export interface Interruption {
  readonly from: number;
  readonly to: number;
}

/** A local service's event: a person let it continue after a restart. */
export const continued = "execution_continued";

/** @param events by time */
export function interruptionsIn(events: readonly ActivityEvent[]): readonly Interruption[] {
  return events.flatMap(({ type, at }, index) =>
    type === continued ? [{ from: events[index - 1]?.at ?? at, to: at }] : [],
  );
}

type Happened = Pick<Activity, "spans" | "marks">;

/** When something happened last (milliseconds since 1970), if anything did. */
export function lastTimeIn({ spans, marks }: Happened): number | undefined {
  const times = [...spans.map(({ start, end = start }) => end), ...marks.map(({ at }) => at)];
  return times.reduce<number | undefined>((last = -Infinity, at) => Math.max(last, at), undefined);
}

/**
 * When an interrupted execution was last seen at work: its last change of state, or its last event if
 * events are known (milliseconds since 1970).
 */
export function interruptedAt(
  { startedAt, history }: ExecutionSummary,
  { spans, marks }: Happened = { spans: [], marks: [] },
): number {
  const change = history?.at(-1);
  // The crew's own span and its queue's begin when the kickoff is sent, by another clock.
  const own = spans.filter(({ kind }) => kind !== "crew" && kind !== "queue");
  return Math.max(
    Date.parse(change?.notBefore ?? change?.at ?? startedAt),
    lastTimeIn({ spans: own, marks }) ?? -Infinity,
  );
}
