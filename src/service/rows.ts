import type { JsonObject } from "../api/types.ts";
import type { CrewProject } from "../projects/types.ts";
import type {
  Attempt,
  AttemptState,
  Callbacks,
  Execution,
  ExecutionState,
  TokenType,
} from "./model.ts";

/** A row as node:sqlite gives it. */
type Row = Readonly<Record<string, unknown>>;

const executionStates: readonly ExecutionState[] = ["running", "completed", "error"];
const attemptStates: readonly AttemptState[] = [
  "running",
  "waiting",
  "approved",
  "rejected",
  "done",
  "failed",
];
const owners: readonly TokenType[] = ["bearer", "userBearer"];

/** Reads a row of `executions`. Throws when a column does not hold what this program writes there. */
export function readExecution(row: Row): Execution {
  return {
    id: text(row, "id"),
    owner: oneOf(row, "owner", owners),
    // The columns that hold JSON are written by this program only, from values of these types.
    project: JSON.parse(text(row, "project")) as CrewProject,
    inputs: JSON.parse(text(row, "inputs")) as JsonObject,
    meta: JSON.parse(text(row, "meta")) as JsonObject | null,
    callbacks: readCallbacks(text(row, "callbacks")),
    state: oneOf(row, "state", executionStates),
    error: row["error"] === null ? null : text(row, "error"),
    createdAt: number(row, "created_at"),
    endedAt: row["ended_at"] === null ? null : number(row, "ended_at"),
  };
}

/** Reads a row of `attempts`. Throws as `readExecution` does. */
export function readAttempt(row: Row): Attempt {
  return {
    executionId: text(row, "execution_id"),
    taskIndex: number(row, "task_index"),
    taskId: text(row, "task_id"),
    attempt: number(row, "attempt"),
    state: oneOf(row, "state", attemptStates),
    output: row["output"] === null ? null : text(row, "output"),
    startedAt: number(row, "started_at"),
    finishedAt: row["finished_at"] === null ? null : number(row, "finished_at"),
    feedback: row["feedback"] === null ? null : text(row, "feedback"),
    decidedAt: row["decided_at"] === null ? null : number(row, "decided_at"),
  };
}

/** Reads the JSON of a column that holds callbacks. */
export function readCallbacks(json: string): Callbacks {
  return JSON.parse(json) as Callbacks;
}

/** The text in a column. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string")
    throw new Error(`The database holds no text in the column "${column}".`);
  return value;
}

/** The number in a column. */
export function number(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number")
    throw new Error(`The database holds no number in the column "${column}".`);
  return value;
}

function oneOf<T extends string>(row: Row, column: string, known: readonly T[]): T {
  const value = text(row, column);
  const found = known.find((word) => word === value);
  if (found === undefined)
    throw new Error(`The database holds the unknown word "${value}" in the column "${column}".`);
  return found;
}
