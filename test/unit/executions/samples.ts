import { CrewApiError } from "../../../src/api/errors.ts";
import type { ActivityEvent, StatusReading, TokenUsage } from "../../../src/api/types.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { applyReading } from "../../../src/executions/reduce.ts";

/** When the sample execution was started (ms). */
export const START = Date.parse("2026-10-21T12:00:00.000Z");

/** The time that many seconds after its start (ms). */
export function at(seconds: number): number {
  return START + seconds * 1000;
}

/** The same, as text. */
export function time(seconds: number): string {
  return new Date(at(seconds)).toISOString();
}

export function anExecution(changes: Partial<Execution> = {}): Execution {
  return {
    localId: "11111111-0000-4000-8000-000000000001",
    crew: { id: "url:https://crew.test", name: "Writers", url: "https://crew.test" },
    kickoffIds: ["k1"],
    origin: "kickoff",
    request: { inputs: { topic: "Otters" }, callbacks: {} },
    state: "queued",
    startedAt: new Date(START).toISOString(),
    tasks: [],
    resumes: [],
    ...changes,
  };
}

export function anEvent(
  id: string,
  type: string,
  seconds: number,
  more: Partial<ActivityEvent> = {},
): ActivityEvent {
  return { id, type, at: at(seconds), ...more };
}

export function aReading(
  changes: Partial<StatusReading> & Pick<StatusReading, "state">,
): StatusReading {
  const ended =
    changes.state === "completed" || changes.state === "failed" || changes.state === "stopped";
  return { stateText: changes.state, ended, tasks: [], ...changes };
}

export function working(current: string, completed: number, total = 3): StatusReading {
  return aReading({ state: "running", progress: { completed, total, unit: "task", current } });
}

export function pausing(taskId: string, output?: string, attempt?: number): StatusReading {
  const waiting = {
    taskId,
    ...(output === undefined ? {} : { output }),
    ...(attempt === undefined ? {} : { attempt }),
  };
  return aReading({ state: "waiting", stateText: "pending_human_input", waiting });
}

export function failure(
  kind: CrewApiError["kind"],
  more: Partial<ConstructorParameters<typeof CrewApiError>[0]> = {},
): CrewApiError {
  return new CrewApiError({ kind, message: kind, remedy: "Do something.", ...more });
}

/** The execution after an answer that arrives that many seconds after its start. */
export function read(execution: Execution, reading: StatusReading, seconds: number): Execution {
  return applyReading(execution, reading, at(seconds));
}

export const notFound = aReading({ state: "unknown", stateText: "NOT FOUND" });

export const usage = (prompt: number, completion: number): TokenUsage => ({
  total: prompt + completion,
  prompt,
  completion,
});
