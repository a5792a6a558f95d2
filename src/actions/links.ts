import * as vscode from "vscode";
import { shortAddress } from "../api/address.ts";
import type { Clock } from "../base/clock.ts";
import { defined } from "../base/json.ts";
import type { Crews } from "../crews/crews.ts";
import { addCrewAction } from "../crews/errors.ts";
import { plainMessage, showError } from "../editor/messages.ts";
import { person } from "./asker.ts";
import type { Verbs } from "./verbs.ts";
import { readLink, type Link } from "./link.ts";
import type { Question } from "./question.ts";

/** After this time a link isn't followed (ms): the person is doing something else. */
const lifetime = 5 * 60_000;

interface LinkParts {
  readonly crews: Pick<Crews, "find">;
  readonly verbs: Pick<Verbs, "addCrew" | "trackExecution">;
  readonly clock: Pick<Clock, "now">;
}

/** Follows one after the other. A modal dialog shows its host and effect: anybody can write one. Never rejects. */
export function linkHandler(parts: LinkParts): (uri: vscode.Uri) => Promise<void> {
  /** A second click on a link changes nothing. */
  const waiting = new Set<string>();
  let last = Promise.resolve();
  return (uri) => {
    const text = uri.toString();
    if (waiting.has(text)) return last;
    waiting.add(text);
    const arrived = parts.clock.now();
    const isOld = () => parts.clock.now() - arrived > lifetime;
    last = last
      .then(() => follow(readLink(uri.path, uri.query), parts, isOld))
      .catch((error: unknown) => void showError(error))
      .finally(() => waiting.delete(text));
    return last;
  };
}

async function follow(
  { url, name, kickoffId }: Link,
  { crews, verbs }: LinkParts,
  isOld: () => boolean,
): Promise<void> {
  /** @returns whether it is allowed, and still wanted */
  const agrees = async (question: Question) => {
    const isAllowed = !isOld() && (await person.agrees(question));
    if (isOld()) sayThatOld();
    return isAllowed && !isOld();
  };
  const known = crews.find(url);
  const connect = () => verbs.addCrew({ by: "link", url, ...defined({ name }) });
  if (kickoffId !== undefined) {
    if (!(await agrees(trackQuestion(url, kickoffId, known?.name)))) return;
    if (known === undefined && (await connect()) === undefined) return;
    await verbs.trackExecution({ by: "link", crew: known?.id ?? url, kickoffId });
  } else if (known === undefined) {
    if (await agrees(connectQuestion(url, name))) await connect();
  } else {
    const text = vscode.l10n.t(
      "A link asked to connect {0}. It is already connected, as “{1}”.",
      url,
      known.name,
    );
    void vscode.window.showInformationMessage(plainMessage(text));
  }
}

function sayThatOld(): void {
  void vscode.window.showWarningMessage(
    vscode.l10n.t(
      "A link to Crewdeck waited for more than 5 minutes and was not followed. Open it again if you still want to.",
    ),
  );
}

function connectQuestion(url: string, name: string | undefined): Question {
  return {
    title: vscode.l10n.t("Connect the crew at {0}?", shortAddress(url)),
    parts: [
      vscode.l10n.t("A link asks for this. Address: {0}", url),
      ...(name === undefined ? [] : [vscode.l10n.t("Name in the link: “{0}”", name)]),
      vscode.l10n.t(
        "You will be asked for the crew's token. It is sent to {0} to test it, and kept on this machine. Connect only a crew that you know.",
        new URL(url).host,
      ),
    ],
    allow: addCrewAction().title,
  };
}

/** @param crew its name, if it is connected */
function trackQuestion(url: string, kickoffId: string, crew: string | undefined): Question {
  const place = shortAddress(url);
  return crew === undefined
    ? {
        title: vscode.l10n.t("Connect the crew at {0} first?", place),
        parts: [
          vscode.l10n.t(
            "A link asks to track the execution {0} of a crew at {1}, which is not connected. You will be asked for the crew's token, which is sent to {1} only. Then the execution's state is requested there and kept on this machine.",
            kickoffId,
            url,
          ),
        ],
        allow: addCrewAction().title,
      }
    : {
        title: vscode.l10n.t("Track an execution of “{0}”, at {1}?", crew, place),
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
