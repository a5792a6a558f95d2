import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { readEvents, readUsage } from "../api/read-events.ts";
import { defined, type JsonObject } from "../base/json.ts";
import { activityOf } from "../executions/activity.ts";
import type { Execution } from "../executions/model.ts";
import { spansOf, type SpansOptions } from "./spans.ts";

/** An execution that has ended, as a service stores it. */
export interface EndedExecution {
  readonly id: string;
  readonly crew: string;
  readonly state: "completed" | "failed" | "stopped";
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly inputs: JsonObject;
  readonly output: string;
  readonly error: string | null;
  /** Those that are kept, as in status answers. */
  readonly events: readonly JsonObject[];
  /** By type, also of those that are not kept. */
  readonly counts: Readonly<Record<string, number>>;
  /** As in status answers. */
  readonly usage: unknown;
}

/** The same spans, with the same IDs, as a client makes of it that has seen all of its events. */
export function spansOfEnded(
  ended: EndedExecution,
  options: Omit<SpansOptions, "now">,
): readonly ReadableSpan[] {
  const { id, crew, state, inputs, output, error, usage, counts } = ended;
  const execution: Execution = {
    localId: id,
    crew: { id: "", name: crew, url: "" },
    kickoffIds: [id],
    origin: "kickoff",
    state,
    startedAt: new Date(ended.startedAt).toISOString(),
    endedAt: new Date(ended.endedAt).toISOString(),
    request: { inputs, callbacks: {} },
    // Its events have all of them.
    tasks: [],
    resumes: [],
    output,
    ...defined({ error: error ?? undefined, usage: readUsage(usage) }),
  };
  const folded = { ...counts };
  for (const { type } of ended.events)
    if (typeof type === "string" && type in folded) folded[type] = (folded[type] ?? 0) - 1;
  const activity = activityOf(execution, { events: readEvents(ended.events), folded });
  return spansOf(execution, activity, { ...options, now: ended.endedAt });
}
