import * as l10n from "@vscode/l10n";
import { defined } from "../../base/json.ts";
import type { Prefill } from "../callbacks.ts";
import { membersOf, readJson, toObject } from "../json.ts";
import { readKickoffJson, type KickoffFault } from "../kickoff-json.ts";
import { targetOf, type HeldSecrets } from "./secrets.ts";
import { checkExtra } from "./values.ts";

type PastedKickoff =
  | {
      readonly values: Prefill;
      readonly secrets: HeldSecrets;
      /** Unknown members, which became `extra`, from where they are sent as they are. */
      readonly moved: readonly string[];
    }
  /** Why the form can't take it. It may have secrets. */
  | { readonly refused: string };

/** The body of a kickoff, as other clients send it. Undefined if the text has no `inputs`. */
export function readPastedKickoff(text: string): PastedKickoff | undefined {
  const { root, values, faults, secrets, ...typed } = readKickoffJson(text);
  if (root === undefined || !membersOf(root).some(({ name }) => name === "inputs"))
    return undefined;
  const reading = readJson(text);
  const refused = faults.find((fault) => !isAccepted(fault));
  const moved = faults.flatMap(({ kind, name }) =>
    kind === "otherMember" && name !== undefined ? [name] : [],
  );
  const others = Object.entries(toObject(root)).filter(([name]) => moved.includes(name));
  const extra =
    others.length === 0 ? values.extra : { ...values.extra, ...Object.fromEntries(others) };
  const misplaced = extra && checkExtra(JSON.stringify(extra));
  const reason = "fault" in reading ? reading.fault : (refused ?? misplaced)?.text;
  if (reason !== undefined)
    return { refused: l10n.t("The pasted kickoff was not taken: {0}", reason) };
  const held = secrets.map(({ of, text }) => [of, { text, target: targetOf(of, typed) }] as const);
  return {
    values: { ...values, ...defined({ extra }) },
    secrets: Object.fromEntries(held),
    moved,
  };
}

/** Becomes `extra`, or the form marks it and doesn't send it. */
function isAccepted(fault: KickoffFault): boolean {
  if (fault.kind === "otherMember" || fault.kind === "address") return true;
  return fault.kind === "missingPart" && fault.name !== "url";
}
