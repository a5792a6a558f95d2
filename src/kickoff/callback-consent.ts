import * as v from "valibot";
import * as vscode from "vscode";
import { givenCallbacks, type GivenCallback } from "../api/callbacks.ts";
import type { CallbackUrls, PlainCallbacks } from "../api/types.ts";
import { hashOf } from "../base/bearer.ts";
import type { Crew } from "../crews/types.ts";
import { logProblem } from "../editor/log.ts";
import { confirm } from "../editor/messages.ts";
import type { Database } from "../store/database.ts";
import { crewValues, type CrewValues } from "../store/crew-values.ts";
import { callbacksText } from "./texts.ts";

/** A request file could send outputs elsewhere. Not in settings, which are synced. */
export class CallbackConsent {
  readonly #allowed: CrewValues<readonly string[]>;

  constructor(database: Database) {
    const parse = (raw: unknown) => v.parse(v.array(v.string()), raw);
    this.#allowed = crewValues<readonly string[]>(database, "callbacks", parse, (error, crewId) =>
      logProblem("Reading the allowed callbacks", error, crewId),
    );
  }

  /** Asks once for all callbacks not yet allowed. Returns whether they are now. */
  async confirm(
    crew: Pick<Crew, "id" | "name">,
    callbacks: CallbackUrls & PlainCallbacks,
  ): Promise<boolean> {
    const allowed = this.#allowed.get(crew.id) ?? [];
    const asked = givenCallbacks(callbacks).filter(
      (callback) => !allowed.includes(markOf(crew.id, callback)),
    );
    if (asked.length === 0) return true;
    const question = vscode.l10n.t("Let “{0}” call these addresses?", crew.name);
    const detail = [
      vscode.l10n.t("The request file asks the crew to send:"),
      callbacksText(asked),
      vscode.l10n.t(
        "Allow this only if you know who receives the data. You are asked once for each crew and address.",
      ),
    ].join("\n\n");
    if (!(await confirm(question, detail, vscode.l10n.t("Allow")))) return false;
    const marks = asked.map((callback) => markOf(crew.id, callback));
    this.#allowed.change(crew.id, (before = []) => [...new Set([...before, ...marks])]);
    return true;
  }
}

/** A hash, because anybody who knows a callback's path can post to it. */
function markOf(crewId: string, { name, address }: GivenCallback): string {
  return hashOf(JSON.stringify([crewId, name, address]));
}
