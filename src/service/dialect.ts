import type { JsonObject, JsonValue } from "../api/types.ts";
import type { ProjectTask } from "../projects/types.ts";
import { roleOf } from "./engine.ts";
import type { ApiError } from "./errors.ts";
import type { Attempt, ExecutionView } from "./model.ts";
import type { Resume } from "./requests.ts";

export interface Resumed {
  readonly isApprove: boolean;
  /** Whether the execution ended with it. */
  readonly ended: boolean;
  /** Another id of the execution, if the dialect renames. */
  readonly alias: string | undefined;
}

/** The shapes of requests and responses. */
export interface Dialect {
  /** Whether each resume gives the execution another id. */
  readonly renames: boolean;
  /** Whether a status response includes the output that waits for a person. */
  readonly showsOutputs: boolean;
  readResume(json: JsonValue): Resume;
  resumed(result: Resumed): JsonObject;
  /** `view` is undefined for an unknown id. @throws {ApiError} */
  status(id: string, view: ExecutionView | undefined): JsonObject;
  /** The body is text where deployed crews send text. */
  error(error: ApiError): { readonly status: number; readonly body: JsonObject | string };
}

interface CrewProgress {
  /** Last attempts of the finished tasks, in order. */
  readonly finished: readonly Attempt[];
  readonly total: number;
  /** The running task; the last one when all are finished. */
  readonly current: ProjectTask;
  /** The attempt that waits for a person. */
  readonly waiting: Attempt | undefined;
}

export function progressOf({ execution, attempts }: ExecutionView): CrewProgress {
  const { tasks } = execution.project;
  const finished = attempts.filter(({ state }) => state === "done" || state === "approved");
  const current = tasks[Math.min(finished.length, tasks.length - 1)];
  if (!current) throw new Error(`The execution ${execution.id} has no tasks.`);
  const waiting = attempts.find(({ state }) => state === "waiting");
  return { finished, total: tasks.length, current, waiting };
}

/** Role of a task's agent; "" if the task names none. */
export function agentOf({ execution }: ExecutionView, taskIndex: number): string {
  const { agents, tasks } = execution.project;
  const agent = agents.find(({ name }) => name === tasks[taskIndex]?.agent);
  return roleOf(agent, execution.inputs);
}

/** Seconds between two times in milliseconds; 0 if the clock was set back. */
export function seconds(from: number, to: number): number {
  return Math.max(0, to - from) / 1000;
}
