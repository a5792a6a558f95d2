import { defined } from "../../base/json.ts";
import type { Prefill } from "../callbacks.ts";
import { readJson, toObject } from "../json.ts";
import { readKickoffJson, requestFileOwn, secretWord, type KickoffFault } from "../kickoff-json.ts";
import { targetOf, type HeldSecrets } from "./secrets.ts";

/**
 * The body of a kickoff, as other clients send it. Its unknown members become `extra`, from where they are sent as they
 * are. Undefined if the text is something else.
 */
export function readPasted(
  text: string,
): { readonly values: Prefill; readonly secrets: HeldSecrets } | undefined {
  if ("fault" in readJson(text)) return undefined;
  const { root, members, values, faults, secrets, ...typed } = readKickoffJson(
    text,
    requestFileOwn,
  );
  if (root === undefined || !members.has("inputs") || !faults.every(isAccepted)) return undefined;
  const isUnknown = (name: string) =>
    faults.some((fault) => fault.kind === "otherMember" && fault.name === name);
  const others = Object.entries(toObject(root)).filter(([name]) => isUnknown(name));
  const held = secrets.map(({ of, text }) => [of, { text, target: targetOf(of, typed) }] as const);
  const extra =
    others.length === 0 ? values.extra : { ...values.extra, ...Object.fromEntries(others) };
  return { values: { ...values, ...defined({ extra }) }, secrets: Object.fromEntries(held) };
}

/** The form marks what it can hold and not send. An unknown member may be a secret, which would be stored. */
function isAccepted(fault: KickoffFault): boolean {
  if (fault.kind === "otherMember") return !secretWord.test(fault.name);
  return fault.kind === "address" || (fault.kind === "missingPart" && fault.name !== "url");
}
