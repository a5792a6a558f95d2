import * as vscode from "vscode";
import { addCrewAction } from "../crews/actions.ts";
import type { Crews } from "../crews/crews.ts";
import { showError, plainMessage } from "../editor/messages.ts";
import { readLink, type Link, type LinkProblem } from "./link.ts";

/** Milliseconds after which a link that nobody answered is not followed any more: who clicked it has gone on to something else. */
const lifetime = 5 * 60_000;

/** What {@link Links} needs. */
export interface LinksOptions {
  readonly crews: Pick<Crews, "find">;
  /** Runs a command of this extension, by its id without the prefix. */
  readonly run: (command: string, argument: object) => Thenable<unknown>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Deep links `…/add?name&url` and `…/track?url&id`. Anybody can make one, so that each is asked about by a modal that names host and
 * effect, one at a time, and an old one is not followed.
 */
export class Links implements vscode.UriHandler {
  readonly #options: LinksOptions;
  /** Links that wait for their turn or their answer: a second click on one is the same wish. */
  readonly #waiting = new Set<string>();
  #last: Promise<void> = Promise.resolve();

  constructor(options: LinksOptions) {
    this.#options = options;
  }

  /** Fulfilled when the link was followed, or was not; never rejects. */
  handleUri(uri: vscode.Uri): Promise<void> {
    const text = uri.toString();
    if (this.#waiting.has(text)) return this.#last;
    this.#waiting.add(text);
    const arrived = this.#options.now();
    this.#last = this.#last
      .then(() => this.#follow(uri, () => this.#options.now() - arrived > lifetime))
      .catch((error: unknown) => void showError(error))
      .finally(() => this.#waiting.delete(text));
    return this.#last;
  }

  async #follow(uri: vscode.Uri, isOld: () => boolean): Promise<void> {
    const link = readLink(uri.path, uri.query);
    if ("problem" in link) {
      void vscode.window.showErrorMessage(plainMessage(problemInWords(link.problem)));
      return;
    }
    const goOn = isOld() ? undefined : await this.#ask(link);
    if (isOld())
      void vscode.window.showWarningMessage(
        vscode.l10n.t(
          "A link to Crewdeck waited for more than 5 minutes and was not followed. Open it again if you still want to.",
        ),
      );
    else await goOn?.();
  }

  /** Asks by a modal. What to do then; nothing where the person said no. */
  async #ask(link: Link): Promise<(() => Promise<unknown>) | undefined> {
    return link.route === "add" ? this.#askToAdd(link) : this.#askToTrack(link);
  }

  async #askToAdd({
    url,
    name,
  }: Extract<Link, { route: "add" }>): Promise<(() => Promise<unknown>) | undefined> {
    const known = this.#options.crews.find(url);
    if (known !== undefined) {
      void vscode.window.showInformationMessage(
        plainMessage(
          vscode.l10n.t(
            "A link asked to connect {0}. It is already connected, as “{1}”.",
            url,
            known.name,
          ),
        ),
      );
      return undefined;
    }
    const detail = [
      vscode.l10n.t("A link asks for this. Address: {0}", url),
      ...(name === undefined ? [] : [vscode.l10n.t("Name in the link: “{0}”", name)]),
      vscode.l10n.t(
        "You will be asked for the crew's token. It is sent to {0} to test it, and kept on this machine. Connect only a crew that you know.",
        hostOf(url),
      ),
    ].join("\n\n");
    const wanted = await confirm(
      vscode.l10n.t("Connect the crew at {0}?", hostOf(url)),
      detail,
      addCrewAction().title,
    );
    return wanted
      ? () => this.#connect({ url, ...(name === undefined ? {} : { name }) })
      : undefined;
  }

  async #askToTrack({
    url,
    kickoffId,
  }: Extract<Link, { route: "track" }>): Promise<(() => Promise<unknown>) | undefined> {
    const crew = this.#options.crews.find(url);
    const track = async (of: string) =>
      await this.#options.run("trackExecution", { kind: "link", crew: of, kickoffId });
    if (crew === undefined) {
      const detail = vscode.l10n.t(
        "A link asks to track the execution {0} of a crew at {1}, which is not connected. You will be asked for the crew's token, which is sent to {1} only. Then the execution's status is asked for there and kept on this machine.",
        kickoffId,
        url,
      );
      const wanted = await confirm(
        vscode.l10n.t("Connect the crew at {0} first?", hostOf(url)),
        detail,
        addCrewAction().title,
      );
      return wanted
        ? async () => ((await this.#connect({ url })) === undefined ? undefined : await track(url))
        : undefined;
    }
    const detail = vscode.l10n.t(
      "A link asks for this. {0} will be asked for the status of the execution {1}, with the token of “{2}”. What it answers is kept on this machine.",
      hostOf(url),
      kickoffId,
      crew.name,
    );
    return (await confirm(
      vscode.l10n.t("Track an execution of “{0}”, at {1}?", crew.name, hostOf(url)),
      detail,
      vscode.l10n.t("Track"),
    ))
      ? () => track(crew.id)
      : undefined;
  }

  /** The usual conversation, with what the link says filled in to be looked at. */
  async #connect(suggestion: { readonly url: string; readonly name?: string }): Promise<unknown> {
    return await this.#options.run("addCrew", { kind: "link", ...suggestion });
  }
}

async function confirm(question: string, detail: string, yes: string): Promise<boolean> {
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
}

function hostOf(url: string): string {
  return new URL(url).host;
}

function problemInWords(problem: LinkProblem): string {
  switch (problem.kind) {
    case "secret":
      return vscode.l10n.t(
        "A link to Crewdeck seems to hold a token, so it was not followed. Links are kept in histories, chats and logs: treat that token as leaked, and have a new one made in the crew's dashboard. A token is never taken from a link.",
      );
    case "unknownRoute":
      return vscode.l10n.t(
        "This link asks for something that Crewdeck does not do. Links can add a crew (/add?name&url) and track an execution (/track?url&id), nothing else.",
      );
    case "noUrl":
      return vscode.l10n.t("This link to Crewdeck names no crew: its “url” is missing.");
    case "badUrl":
      return vscode.l10n.t("This link to Crewdeck was not followed. {0}", problem.detail);
    case "badName":
      return vscode.l10n.t(
        "This link to Crewdeck was not followed: the name in it is too long or holds characters that don't show.",
      );
    case "badId":
      return vscode.l10n.t(
        "This link to Crewdeck was not followed: its “id” is missing, or can be no execution's ID.",
      );
  }
}
