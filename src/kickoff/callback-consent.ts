import * as v from "valibot";
import * as vscode from "vscode";
import { givenCallbacks, type GivenCallback } from "../api/callbacks.ts";
import type { CallbackUrls, PlainCallbacks } from "../api/types.ts";
import { hashOf } from "../base/bearer.ts";
import type { Crew } from "../crews/types.ts";
import { logProblem } from "../editor/log.ts";
import { confirm } from "../editor/messages.ts";
import type { Database } from "../store/database.ts";
import { crewValues } from "../store/crew-values.ts";
import { callbacksText } from "./texts.ts";

/**
 * Asks once for all callbacks not yet allowed: a request file could send outputs elsewhere. Not in settings, which are synced.
 * @returns whether they are allowed now
 */
export async function allowCallbacks(
  database: Database,
  { id, name: crewName }: Pick<Crew, "id" | "name">,
  callbacks: CallbackUrls & PlainCallbacks,
): Promise<boolean> {
  const parse = (raw: unknown) => v.parse(v.array(v.string()), raw);
  const marks = crewValues<readonly string[]>(database, "callbacks", parse, (error) =>
    logProblem("Reading the allowed callbacks", error, id),
  );
  // A hash, because anybody who knows a callback's path can post to it.
  const markOf = ({ name, address }: GivenCallback) => hashOf(JSON.stringify([id, name, address]));
  const allowed = marks.get(id) ?? [];
  const asked = givenCallbacks(callbacks).filter((each) => !allowed.includes(markOf(each)));
  if (asked.length === 0) return true;
  const question = vscode.l10n.t("Let “{0}” call these addresses?", crewName);
  const detail = [
    vscode.l10n.t("The request file asks the crew to send:"),
    callbacksText(asked),
    vscode.l10n.t(
      "Allow this only if you know who receives the data. You are asked once for each crew and address.",
    ),
  ].join("\n\n");
  if (!(await confirm(question, detail, vscode.l10n.t("Allow")))) return false;
  marks.change(id, (before = []) => [...new Set([...before, ...asked.map(markOf)])]);
  return true;
}
