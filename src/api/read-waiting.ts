import {
  asArray,
  asObject,
  idAt,
  isObject,
  numberAt,
  readable,
  type UnknownObject,
} from "./json.ts";
import type { WordState } from "./state-words.ts";
import type { StatusReading } from "./types.ts";

/** The member the local service adds to an answer that says "running"; it speaks for itself. */
const certainNames = ["pending_human_input", "pendingHumanInput"];

/** Names other deployments may use. They count only when the state says that a person is waited for: while it runs, a "pending task" may be the next one. */
const plausibleNames = [
  "human_input_request",
  "humanInputRequest",
  "human_input",
  "humanInput",
  "human_feedback",
  "pending_task",
  "pendingTask",
  "waiting_task",
  "waitingTask",
  "last_executed_task",
];

/** What a status answer says of a person's turn. */
export interface WaitingReading {
  /** Whether the answer says that a person is waited for, task known or not. */
  readonly awaited: boolean;
  readonly waiting?: NonNullable<StatusReading["waiting"]>;
}

/** Finds the task that waits for a person. An execution that has ended waits for nobody. */
export function readWaiting(answer: UnknownObject, state: WordState): WaitingReading {
  if (state === "completed" || state === "failed" || state === "stopped") return { awaited: false };
  const certain = certainNames
    .map((name) => firstOf(answer[name]))
    .find((value) => isObject(value) || value === true);
  const awaited = state === "awaiting" || certain !== undefined;
  if (!awaited) return { awaited };
  const candidates = [certain, ...plausibleNames.map((name) => firstOf(answer[name])), answer];
  for (const candidate of candidates) {
    const waiting = readTask(candidate);
    if (waiting) return { awaited, waiting };
  }
  return { awaited };
}

/** A list of pending tasks is answered one by one, so its first is meant. */
function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? asArray(value)[0] : value;
}

function readTask(value: unknown): WaitingReading["waiting"] {
  const task = asObject(value);
  const taskId = idAt(task, "task_id", "taskId");
  if (taskId === undefined) return undefined;
  const output = readable(task["task_output"] ?? task["taskOutput"] ?? task["output"]);
  const attempt = numberAt(task, "attempt");
  return {
    taskId,
    ...(output === undefined ? {} : { output }),
    ...(attempt === undefined ? {} : { attempt }),
  };
}
