import { createHash } from "node:crypto";
import * as vscode from "vscode";
import type { CallbackUrls, PlainCallbacks } from "../api/types.ts";
import type { Crew } from "../crews/types.ts";
import { logProblem } from "../editor/log.ts";
import type { Database } from "../store/database.ts";
import { askedCallbacks, callbacksInWords, type AskedCallback } from "./asked-callbacks.ts";
import { CrewValues } from "./crew-values.ts";

/**
 * Which callbacks a person has let request files name. A file comes with a workspace, and a callback takes a crew's outputs elsewhere. On a
 * shared host each path has another reader: what is allowed is one kind of callback, of one crew, to one whole address, whichever file names it.
 */
export class CallbackConsent {
  readonly #allowed: CrewValues<readonly string[]>;

  /** @param database what was allowed is kept on this machine, not in settings, which are synced to others */
  constructor(database: Database) {
    this.#allowed = new CrewValues({
      database,
      kind: "callbacks",
      parse: marksIn,
      onUnreadable: (error, crewId) => logProblem("Callbacks that were allowed", error, crewId),
    });
  }

  /** Asks once for all callbacks that were not allowed yet. False where they are not allowed now. */
  async confirm(
    crew: Pick<Crew, "id" | "name">,
    callbacks: CallbackUrls & PlainCallbacks,
  ): Promise<boolean> {
    const allowed = this.#allowed.get(crew.id) ?? [];
    const news = askedCallbacks(callbacks).filter(
      (callback) => !allowed.includes(markOf(crew.id, callback)),
    );
    if (news.length === 0) return true;
    if (!(await ask(crew.name, news))) return false;
    const marks = news.map((callback) => markOf(crew.id, callback));
    this.#allowed.change(crew.id, (before = []) => [...new Set([...before, ...marks])]);
    return true;
  }

  /** A crew is gone, or has another address. */
  forget(crewId: string): void {
    this.#allowed.set(crewId, undefined);
  }
}

/** Without valibot, which is loaded with the forms: this is not. */
function marksIn(raw: unknown): readonly string[] {
  if (Array.isArray(raw) && raw.every((mark) => typeof mark === "string")) return raw;
  throw new TypeError("These are no marks of callbacks.");
}

/** What is kept of an allowed callback: not its address, since whoever knows a callback's path may post to it. */
function markOf(crewId: string, { name, address }: AskedCallback): string {
  return createHash("sha256")
    .update(JSON.stringify([crewId, name, address]))
    .digest("base64url");
}

async function ask(crewName: string, callbacks: readonly AskedCallback[]): Promise<boolean> {
  const allow = vscode.l10n.t("Allow");
  const detail = [
    vscode.l10n.t("The request file asks the crew to send:"),
    callbacksInWords(callbacks),
    vscode.l10n.t(
      "Allow it only if you know who reads there. You are asked once for each crew and address.",
    ),
  ].join("\n\n");
  return (
    (await vscode.window.showWarningMessage(
      vscode.l10n.t("Let “{0}” call these addresses?", crewName),
      { modal: true, detail },
      allow,
    )) === allow
  );
}
