import type { EndedExecution } from "../../spans/spans.ts";
import { outputOf } from "../dialects.ts";
import type { StatusView } from "../model.ts";
import type { Log } from "./log.ts";
import type { SpansOptions } from "./options.ts";

interface ExporterOptions {
  readonly spans: SpansOptions;
  readonly version: string;
  readonly log: Log;
}

/** Sends a request of a trace. @returns with which span the next one begins; undefined if none is left */
export function createExporter({ spans, version, log }: ExporterOptions) {
  return async (found: StatusView, from: number): Promise<number | undefined> => {
    // Loaded only where spans are sent.
    const [{ spansOfEnded }, { mostSpans, sendSpans }] = await Promise.all([
      import("../../spans/spans.ts"),
      import("../../spans/send.ts"),
    ]);
    const { id } = found.execution;
    // An execution always has the same spans in the same order.
    const all = spansOfEnded(endedOf(found), { version, hasContent: spans.hasContent });
    const next = from + mostSpans;
    const part = all.slice(from, next);
    const userAgent = `crewdeck/${version}`;
    const refused = await sendSpans(part, spans.url, { headers: spans.headers, userAgent });
    // OTLP: spans that the receiver has rejected must not be sent again.
    if (refused > 0)
      log(`${refused} of ${part.length} spans of the execution ${id} were refused`, {
        execution_id: id,
      });
    return next < all.length ? next : undefined;
  };
}

function endedOf(view: StatusView): EndedExecution {
  const { execution, activity, usage } = view;
  const { id, project, state, createdAt, endedAt, inputs, error } = execution;
  return {
    id,
    crew: project.name,
    state: state === "error" ? "failed" : state === "stopped" ? "stopped" : "completed",
    startedAt: createdAt,
    endedAt: endedAt ?? createdAt,
    inputs,
    output: state === "completed" ? outputOf(view) : "",
    error,
    ...activity,
    usage,
  };
}
