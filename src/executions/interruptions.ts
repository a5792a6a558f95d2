import type { ActivityEvent } from "../api/types.ts";
import type { Activity } from "./activity.ts";

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

/** When something happened last (milliseconds since 1970). */
export function lastTimeIn({ spans, marks }: Pick<Activity, "spans" | "marks">): number {
  const times = [...spans.flatMap(({ start, end = start }) => end), ...marks.map(({ at }) => at)];
  return times.reduce((last, time) => Math.max(last, time), -Infinity);
}
