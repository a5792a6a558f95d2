import type { CrewInputs } from "./types.ts";

/** Turns the answer of `GET /inputs` into fields; nothing where it is no such answer. */
export function readInputs(raw: unknown): CrewInputs | undefined {
  return { fields: [], raw };
}
