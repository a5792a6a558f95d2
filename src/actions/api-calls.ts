import * as v from "valibot";
import { filledText, neededText, read, text } from "../editor/arguments.ts";
import { program } from "./asker.ts";
import { requestMembers } from "./kickoff.ts";
import type { Verbs } from "./verbs.ts";

// What other extensions call: verbs that ask nothing.

export type ApiVerbs = Pick<Verbs, "approve" | "kickoff" | "reject" | "stop">;

const target = { crew: text, kickoffId: neededText };
const feedbackMembers = { ...target, taskId: filledText, feedback: text, isApprove: v.boolean() };

export async function kickoff(verbs: ApiVerbs, given: unknown) {
  const request = read({ ...requestMembers, crew: neededText }, given);
  return made(await verbs.kickoff({ ...request, form: false }, program));
}

export async function resume(verbs: ApiVerbs, given: unknown) {
  const { isApprove, feedback = "", ...rest } = read(feedbackMembers, given);
  const answer = await verbs[isApprove ? "approve" : "reject"]({ ...rest, feedback }, program);
  const { status, message } = made(answer);
  return { status, message };
}

export async function stop(verbs: ApiVerbs, given: unknown) {
  return made(await verbs.stop(read(target, given), program));
}

function made<Made>(what: Made | undefined): Made {
  if (what === undefined) throw new Error("A program was asked something.");
  return what;
}
