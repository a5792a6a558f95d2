import * as vscode from "vscode";
import { shortAddress } from "../api/address.ts";
import { defined } from "../base/json.ts";
import type { Crews } from "../crews/crews.ts";
import { addCrewAction } from "../crews/errors.ts";
import { confirm, plainMessage, showError } from "../editor/messages.ts";
import { readLink, type Link } from "./link.ts";

/** After this time a link isn't followed (ms): the person is doing something else. */
const lifetime = 5 * 60_000;

interface LinksOptions {
  readonly crews: Pick<Crews, "find">;
  /** By the command's ID without the prefix. */
  readonly run: (command: string, argument: object) => Thenable<unknown>;
  readonly now: () => number;
}

/** Anybody can write a link, so a modal dialog shows each one's host and effect. */
export class Links implements vscode.UriHandler {
  readonly #options: LinksOptions;
  /** Open questions: a second click on a link changes nothing. */
  readonly #waiting = new Set<string>();
  #last: Promise<void> = Promise.resolve();

  constructor(options: LinksOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  handleUri(uri: vscode.Uri): Promise<void> {
    const text = uri.toString();
    if (this.#waiting.has(text)) return this.#last;
    this.#waiting.add(text);
    const { now } = this.#options;
    const arrived = now();
    this.#last = this.#last
      .then(() => this.#follow(uri, () => now() - arrived > lifetime))
      .catch((error: unknown) => void showError(error))
      .finally(() => this.#waiting.delete(text));
    return this.#last;
  }

  async #follow(uri: vscode.Uri, isOld: () => boolean): Promise<void> {
    const link = readLink(uri.path, uri.query);
    if (link.route === "none") {
      void vscode.window.showErrorMessage(plainMessage(link.problem));
      return;
    }
    const question = isOld() ? undefined : this.#questionFor(link);
    const isAllowed =
      question !== undefined && (await confirm(question.text, question.detail, question.button));
    if (isOld())
      void vscode.window.showWarningMessage(
        vscode.l10n.t(
          "A link to Crewdeck waited for more than 5 minutes and was not followed. Open it again if you still want to.",
        ),
      );
    else if (isAllowed) await question.follow();
  }

  #questionFor(link: Exclude<Link, { route: "none" }>) {
    const { url } = link;
    const { host } = new URL(url);
    const place = shortAddress(url);
    const known = this.#options.crews.find(url);
    // The usual questions, with the link's values filled in.
    const connect = async (name?: string) =>
      this.#options.run("addCrew", { kind: "link", url, ...defined({ name }) });
    if (link.route === "track") {
      const { kickoffId } = link;
      const track = async (crew: string) =>
        this.#options.run("trackExecution", { kind: "link", crew, kickoffId });
      if (known === undefined)
        return {
          text: vscode.l10n.t("Connect the crew at {0} first?", place),
          detail: vscode.l10n.t(
            "A link asks to track the execution {0} of a crew at {1}, which is not connected. You will be asked for the crew's token, which is sent to {1} only. Then the execution's state is requested there and kept on this machine.",
            kickoffId,
            url,
          ),
          button: addCrewAction().title,
          follow: async () => (await connect()) && track(url),
        };
      return {
        text: vscode.l10n.t("Track an execution of “{0}”, at {1}?", known.name, place),
        detail: vscode.l10n.t(
          "A link asks for this. The state of the execution {1} will be requested from {0}, with the token of “{2}”. The response is kept on this machine.",
          host,
          kickoffId,
          known.name,
        ),
        button: vscode.l10n.t("Track"),
        follow: () => track(known.id),
      };
    }
    const { name } = link;
    if (known === undefined)
      return {
        text: vscode.l10n.t("Connect the crew at {0}?", place),
        detail: [
          vscode.l10n.t("A link asks for this. Address: {0}", url),
          ...(name === undefined ? [] : [vscode.l10n.t("Name in the link: “{0}”", name)]),
          vscode.l10n.t(
            "You will be asked for the crew's token. It is sent to {0} to test it, and kept on this machine. Connect only a crew that you know.",
            host,
          ),
        ].join("\n\n"),
        button: addCrewAction().title,
        follow: () => connect(name),
      };
    const text = vscode.l10n.t(
      "A link asked to connect {0}. It is already connected, as “{1}”.",
      url,
      known.name,
    );
    void vscode.window.showInformationMessage(plainMessage(text));
    return undefined;
  }
}
