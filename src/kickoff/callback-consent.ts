import { createHash } from "node:crypto";
import * as vscode from "vscode";
import type { CallbackUrls, PlainCallbacks } from "../api/types.ts";
import type { Crew } from "../crews/types.ts";
import { logProblem } from "../editor/log.ts";
import { confirm } from "../editor/messages.ts";
import type { Database } from "../store/database.ts";
import { askedCallbacks, type AskedCallback } from "./callbacks.ts";
import { crewValues, type CrewValues } from "./crew-values.ts";
import { callbacksText } from "./texts.ts";

/**
 * The callbacks that the person allowed for request files. A file comes with a workspace, and a callback sends a crew's outputs
 * elsewhere. On a shared host each path has another reader, so what is allowed is one kind of callback of one crew to one address.
 * Stored on this machine, not in settings, which are synced to others.
 */
export class CallbackConsent {
  readonly #allowed: CrewValues<readonly string[]>;

  constructor(database: Database) {
    this.#allowed = crewValues(database, "callbacks", parseMarks, (error, crewId) =>
      logProblem("Callbacks that were allowed", error, crewId),
    );
  }

  /** Asks once for all callbacks that are not allowed yet. Returns whether they are now. */
  async confirm(
    crew: Pick<Crew, "id" | "name">,
    callbacks: CallbackUrls & PlainCallbacks,
  ): Promise<boolean> {
    const allowed = this.#allowed.get(crew.id) ?? [];
    const asked = askedCallbacks(callbacks).filter(
      (callback) => !allowed.includes(markOf(crew.id, callback)),
    );
    if (asked.length === 0) return true;
    const question = vscode.l10n.t("Let “{0}” call these addresses?", crew.name);
    const detail = [
      vscode.l10n.t("The request file asks the crew to send:"),
      callbacksText(asked),
      vscode.l10n.t(
        "Allow it only if you know who reads there. You are asked once for each crew and address.",
      ),
    ].join("\n\n");
    if (!(await confirm(question, detail, vscode.l10n.t("Allow")))) return false;
    const marks = asked.map((callback) => markOf(crew.id, callback));
    this.#allowed.change(crew.id, (before = []) => [...new Set([...before, ...marks])]);
    return true;
  }

  forget(crewId: string): void {
    this.#allowed.set(crewId, undefined);
  }
}

function parseMarks(raw: unknown): readonly string[] {
  if (Array.isArray(raw) && raw.every((mark) => typeof mark === "string")) return raw;
  throw new TypeError("The allowed callbacks are invalid.");
}

/** A hash, because whoever knows a callback's path may post to it. */
function markOf(crewId: string, { name, address }: AskedCallback): string {
  return createHash("sha256")
    .update(JSON.stringify([crewId, name, address]))
    .digest("base64url");
}
