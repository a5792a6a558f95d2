import { migrate, recordVersion } from "./migrate.ts";
import { type Execution, hasEnded, withPersonsPartsOf } from "./model.ts";

/** What a record's text turned out to be. */
export type Reading =
  | { readonly kind: "execution"; readonly execution: Execution }
  /** The execution was untracked; the mark keeps a slower window from bringing it back. */
  | { readonly kind: "removed" }
  /** Written by a newer version of the extension, which another window may run: left alone. */
  | { readonly kind: "newer" }
  | { readonly kind: "corrupt"; readonly reason: string };

/** The text of a record. */
export function writeRecord(execution: Execution): string {
  return JSON.stringify(execution);
}

/** The text that marks an execution as untracked. */
export function writeRemoved(): string {
  return JSON.stringify({ version: recordVersion, removed: true });
}

/** Understands a record's text, as far as the program relies on its shape. Never throws. */
export function readRecord(text: string, localId: string): Reading {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    return { kind: "corrupt", reason: error instanceof Error ? error.message : "not JSON" };
  }
  if (!isObject(raw)) {
    return { kind: "corrupt", reason: "not an object" };
  }
  if (typeof raw["version"] === "number" && raw["version"] > recordVersion) {
    return { kind: "newer" };
  }
  if (raw["removed"] === true) {
    return { kind: "removed" };
  }
  const current = migrate(raw);
  if (!isExecution(current)) {
    return {
      kind: "corrupt",
      reason: `"${firstWrong(current) ?? "version"}" is missing or has the wrong type`,
    };
  }
  return current.localId === localId
    ? { kind: "execution", execution: current }
    : { kind: "corrupt", reason: "its id is not the one in the file's name" };
}

/**
 * What may follow on `current` after `next` was made of it. The end of an execution is final: afterwards only what the person
 * does counts (also feedback and its outcome), unless a resume brought a new id, under which it goes on.
 */
export function keepEnd(current: Execution, next: Execution): Execution {
  if (!hasEnded(current) || next.kickoffIds.length > current.kickoffIds.length) {
    return next;
  }
  const tasks = current.tasks.map((task) => ({
    ...task,
    attempts: next.tasks.find((each) => each.taskId === task.taskId)?.attempts ?? task.attempts,
  }));
  return { ...withPersonsPartsOf(current, next), tasks };
}

const STATES: readonly unknown[] = [
  "queued",
  "running",
  "waiting",
  "completed",
  "failed",
  "stopped",
  "unknown",
  "unconfirmed",
];

const SHAPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  version: (value) => value === recordVersion,
  localId: isString,
  crew: (value) =>
    isObject(value) && isString(value["id"]) && isString(value["name"]) && isString(value["url"]),
  kickoffIds: (value) => Array.isArray(value) && value.every(isString),
  origin: (value) => value === "kickoff" || value === "tracked",
  state: (value) => STATES.includes(value),
  startedAt: isTime,
  label: (value) => value === undefined || isString(value),
  pinned: (value) => value === undefined || value === true,
  stateText: (value) => value === undefined || isString(value),
  output: (value) => value === undefined || isString(value),
  error: (value) => value === undefined || isString(value),
  endedAt: (value) => value === undefined || isTime(value),
  request: (value) =>
    value === undefined ||
    (isObject(value) &&
      isObject(value["inputs"]) &&
      isObject(value["callbacks"]) &&
      Object.values(value["callbacks"]).every(isCallback)),
  progress: (value) =>
    value === undefined || (isObject(value) && typeof value["completed"] === "number"),
  tasks: (value) => Array.isArray(value) && value.every(isTask),
  waiting: (value) =>
    value === undefined ||
    (isObject(value) && isString(value["taskId"]) && typeof value["attempt"] === "number"),
  stillPaused: (value) =>
    value === undefined ||
    (isObject(value) && isString(value["taskId"]) && typeof value["attempt"] === "number"),
  resumes: (value) => Array.isArray(value) && value.every(isResume),
  history: (value) => value === undefined || (Array.isArray(value) && value.every(isStateChange)),
};

/** An address, or a callback that takes credentials: without them. */
function isCallback(value: unknown): boolean {
  return isString(value) || (isObject(value) && isString(value["url"]));
}

function isTask(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value["taskId"]) &&
    Array.isArray(value["attempts"]) &&
    value["attempts"].every((attempt) => isObject(attempt) && typeof attempt["number"] === "number")
  );
}

function isResume(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value["taskId"]) &&
    isString(value["outcome"]) &&
    isObject(value["feedback"])
  );
}

function isStateChange(value: unknown): boolean {
  return isObject(value) && isTime(value["at"]) && STATES.includes(value["state"]);
}

/** The name of the first part that has not the shape it must have. */
function firstWrong(raw: Readonly<Record<string, unknown>>): string | undefined {
  return Object.entries(SHAPE).find(([name, isRight]) => !isRight(raw[name]))?.[0];
}

function isExecution(
  raw: Readonly<Record<string, unknown>>,
): raw is Readonly<Record<string, unknown>> & Execution {
  return firstWrong(raw) === undefined;
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isTime(value: unknown): boolean {
  return isString(value) && !Number.isNaN(Date.parse(value));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
