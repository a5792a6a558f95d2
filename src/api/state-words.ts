import type { StatusReading } from "./types.ts";

/** A state that a word alone can tell; `waiting` also takes a known task id. */
export type WordState = Exclude<StatusReading["state"], "waiting">;

/** Every word seen for a state, by what it means (documented, observed on deployed crews, and in other deployments). */
const words: Readonly<Record<Exclude<WordState, "other">, readonly string[]>> = {
  queued: ["pending", "queued"],
  running: ["started", "running", "retry", "retrying", "resumed", "thinking"],
  awaiting: [
    "paused",
    "pending human input",
    "awaiting feedback",
    "awaiting human feedback",
    "waiting input",
    "human input requested",
  ],
  completed: ["success", "completed", "complete", "done", "finished"],
  failed: ["failed", "failure", "error", "errored"],
  stopped: ["revoked", "stopped", "cancelled", "canceled"],
  unknown: ["not found"],
};

const byWord = new Map(
  Object.entries(words).flatMap(([state, list]) =>
    list.map((word) => [plain(word), state as WordState] as const),
  ),
);

/** What a state's word means. Case does not count, and `_`, `-` and blank are alike. */
export function stateOf(word: string): WordState {
  return byWord.get(plain(word)) ?? "other";
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[\s_-]+/g, "");
}
