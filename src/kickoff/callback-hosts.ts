import { createHash } from "node:crypto";
import * as vscode from "vscode";
import type { CallbackUrls, PlainCallbacks } from "../api/types.ts";
import type { Crew } from "../crews/types.ts";
import { askedCallbacks, callbacksInWords, type AskedCallback } from "./asked-callbacks.ts";

/** Key in VS Code's global state: what was allowed on this machine, not in settings, which travel to others. */
const key = "crewdeck.allowedCallbacks";

/**
 * Which callbacks a person has let request files name. A file comes with a workspace, and a callback takes a crew's outputs elsewhere. On a
 * shared host each path has another reader: what is allowed is one kind of callback, of one crew, to one whole address, whichever file names it.
 */
export class CallbackConsent {
  readonly #state: Pick<vscode.Memento, "get" | "update">;

  constructor(state: Pick<vscode.Memento, "get" | "update">) {
    this.#state = state;
  }

  /** Asks once for all callbacks that were not allowed yet. False where they are not allowed now. */
  async confirm(
    crew: Pick<Crew, "id" | "name">,
    callbacks: CallbackUrls & PlainCallbacks,
  ): Promise<boolean> {
    const news = askedCallbacks(callbacks).filter(
      (callback) => !this.#allowed().includes(markOf(crew.id, callback)),
    );
    if (news.length === 0) return true;
    if (!(await ask(crew.name, news))) return false;
    await this.#state.update(key, [
      ...this.#allowed(),
      ...news.map((callback) => markOf(crew.id, callback)),
    ]);
    return true;
  }

  #allowed(): readonly unknown[] {
    const kept: unknown = this.#state.get(key);
    return Array.isArray(kept) ? kept : [];
  }
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
