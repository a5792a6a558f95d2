import { asObject, numberAt, readable, textAt, type UnknownObject } from "./json.ts";
import { shortName } from "./one-line.ts";
import { readResult } from "./read-result.ts";
import { readProgress, readTasks } from "./read-tasks.ts";
import { readWaiting } from "./read-waiting.ts";
import { stateOf, type WordState } from "./state-words.ts";
import type { StatusReading } from "./types.ts";

/**
 * Turns any status answer, of the documented dialect or the one observed on deployed crews, into one model. Pure, and
 * never fails: an unknown word gives the state `other` with the word as it came, a missing field is absent.
 * @param raw the answer, parsed from JSON
 */
export function readStatus(raw: unknown): StatusReading {
  const answer = asObject(raw);
  const live = textAt(answer, "state");
  // Where `state` is present, `status` is prose for people and never a state (observed).
  const stateText = live ?? textAt(answer, "status") ?? "";
  const word = stateOf(stateText);
  const { awaited, waiting } = readWaiting(answer, word);
  const state = waiting ? "waiting" : awaited ? "awaiting" : word;
  const tasks = readTasks(answer);
  const progress = readProgress(answer, tasks.length);
  const error = readError(answer, word, live !== undefined);
  const executionTime =
    numberAt(answer, "execution_time") ??
    numberAt(asObject(answer["progress"]), "duration_seconds");
  return {
    state,
    stateText: shortName(stateText),
    ended: state === "completed" || state === "failed" || state === "stopped",
    ...(progress === undefined ? {} : { progress }),
    tasks,
    ...readResult(answer, word === "completed"),
    ...(error === undefined ? {} : { error }),
    ...(waiting === undefined ? {} : { waiting }),
    ...(executionTime === undefined ? {} : { executionTime }),
    raw,
  };
}

/** Why it failed. Documented: `error`. Observed: `status` holds the exception's text once `state` says that it failed. */
function readError(answer: UnknownObject, word: WordState, live: boolean): string | undefined {
  if (word === "completed") return undefined;
  const told = answer["error"];
  const error = textAt(asObject(told), "message", "detail") ?? readable(told);
  if (error !== undefined || (word !== "failed" && word !== "stopped")) return error;
  return (live ? textAt(answer, "status") : undefined) ?? textAt(answer, "message", "detail");
}
