import * as vscode from "vscode";
import { shortAddress } from "../api/address.ts";
import { defined } from "../base/json.ts";
import type { Crews } from "../crews/crews.ts";
import { addCrewAction } from "../crews/errors.ts";
import { plainMessage, showError } from "../editor/messages.ts";
import { person } from "./asker.ts";
import { readLink, type Link } from "./link.ts";
import type { Question } from "./question.ts";
import type { Verbs } from "./verbs.ts";

interface LinkParts {
  readonly crews: Pick<Crews, "find">;
  readonly verbs: Pick<Verbs, "addCrew" | "trackExecution">;
}

/** Follows one after the other. A modal dialog shows its host and effect: anybody can write one. Never rejects. */
export function linkHandler(parts: LinkParts): (uri: vscode.Uri) => Promise<void> {
  const waiting = new Set<string>();
  let last = Promise.resolve();
  return (uri) => {
    const text = uri.toString();
    if (waiting.has(text)) return last;
    waiting.add(text);
    last = last
      .then(() => follow(readLink(uri.path, uri.query), parts))
      .catch((error: unknown) => void showError(error))
      .finally(() => waiting.delete(text));
    return last;
  };
}

async function follow({ url, name, kickoffId }: Link, { crews, verbs }: LinkParts): Promise<void> {
  const known = crews.find(url);
  if (known !== undefined && kickoffId === undefined) {
    const text = vscode.l10n.t("{0} is already connected, as “{1}”.", url, known.name);
    void vscode.window.showInformationMessage(plainMessage(text));
    return;
  }
  const question =
    known === undefined
      ? connectQuestion(url, name, kickoffId)
      : trackQuestion(url, kickoffId ?? "", known.name);
  if (!(await person.agrees(question))) return;
  if (known === undefined) {
    const made = await verbs.addCrew({ by: "link", url, ...defined({ name }) }, person);
    if (made === undefined) return;
  }
  if (kickoffId !== undefined)
    await verbs.trackExecution({ by: "link", crew: known?.id ?? url, kickoffId });
}

function connectQuestion(url: string, name = "", kickoffId = ""): Question {
  return {
    title: vscode.l10n.t("Connect the crew at {0}?", shortAddress(url)),
    parts: [
      vscode.l10n.t("A link asks for this. Address: {0}", url),
      ...(name === "" ? [] : [vscode.l10n.t("Name in the link: “{0}”", name)]),
      ...(kickoffId === ""
        ? []
        : [vscode.l10n.t("Then its execution {0} is tracked on this machine.", kickoffId)]),
      vscode.l10n.t(
        "You will be asked for the crew's token. It is sent to {0} to test it, and kept on this machine. Connect only a crew that you know.",
        new URL(url).host,
      ),
    ],
    allow: addCrewAction().title,
  };
}

function trackQuestion(url: string, kickoffId: string, crew: string): Question {
  return {
    title: vscode.l10n.t("Track an execution of “{0}”, at {1}?", crew, shortAddress(url)),
    parts: [
      vscode.l10n.t(
        "A link asks for this. The state of the execution {1} will be requested from {0}, with the token of “{2}”. The response is kept on this machine.",
        new URL(url).host,
        kickoffId,
        crew,
      ),
    ],
    allow: vscode.l10n.t("Track"),
  };
}
