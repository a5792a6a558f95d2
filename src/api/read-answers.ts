import { asObject, idAt, textAt, type UnknownObject } from "./json.ts";
import { isWellFormed, oneLine } from "./one-line.ts";
import type { KickoffAnswer, ResumeAnswer } from "./types.ts";

/** Characters of what a crew says of an answer. */
const messageLength = 300;

const resumeStatuses = ["resumed", "retrying", "completed"] as const;

/** Reads the answer of `POST /kickoff`; nothing where it names no execution. */
export function readKickoff(raw: unknown): KickoffAnswer | undefined {
  const kickoffId = kickoffIdAt(asObject(raw));
  return kickoffId === undefined ? undefined : { kickoffId, raw };
}

/** Reads both answers of `POST /resume`: `status` with `message` (specification), or the id under which it goes on (observed). */
export function readResume(raw: unknown): ResumeAnswer {
  const answer = asObject(raw);
  const word = textAt(answer, "status");
  const status = resumeStatuses.find((known) => known === word?.trim().toLowerCase());
  // A word that is none of the three is still something to show.
  const message = textAt(answer, "message") ?? (status === undefined ? word : undefined);
  const kickoffId = kickoffIdAt(answer);
  return {
    ...(status === undefined ? {} : { status }),
    ...(message === undefined ? {} : { message: oneLine(message, messageLength) }),
    ...(kickoffId === undefined ? {} : { kickoffId }),
    raw,
  };
}

/** An id that can be asked for: one half of a character can stand in no address. */
function kickoffIdAt(answer: UnknownObject): string | undefined {
  const id = idAt(answer, "kickoff_id", "kickoffId");
  return id === undefined || isWellFormed(id) ? id : undefined;
}
