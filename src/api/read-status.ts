import type { StatusReading } from "./types.ts";

/** Turns any status answer into one model. */
export function readStatus(raw: unknown): StatusReading {
  return { state: "other", stateText: "", ended: false, tasks: [], raw };
}
