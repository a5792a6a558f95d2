import { asObject, idAt, textAt } from "./json.ts";
import type { KickoffAnswer, ResumeAnswer } from "./types.ts";

const resumeStatuses = ["resumed", "retrying", "completed"] as const;

/** Reads the answer of `POST /kickoff`; nothing where it names no execution. */
export function readKickoff(raw: unknown): KickoffAnswer | undefined {
  const kickoffId = idAt(asObject(raw), "kickoff_id", "kickoffId");
  return kickoffId === undefined ? undefined : { kickoffId, raw };
}

/** Reads both answers of `POST /resume`: `status` with `message` (specification), or the id under which it goes on (observed). */
export function readResume(raw: unknown): ResumeAnswer {
  const answer = asObject(raw);
  const word = textAt(answer, "status");
  const status = resumeStatuses.find((known) => known === word?.trim().toLowerCase());
  // A word that is none of the three is still something to show.
  const message = textAt(answer, "message") ?? (status === undefined ? word : undefined);
  const kickoffId = idAt(answer, "kickoff_id", "kickoffId");
  return {
    ...(status === undefined ? {} : { status }),
    ...(message === undefined ? {} : { message }),
    ...(kickoffId === undefined ? {} : { kickoffId }),
    raw,
  };
}
