import * as vscode from "vscode";
import { emptyInputs } from "../../api/read-inputs.ts";
import type { Clock } from "../../base/clock.ts";
import { UserError } from "../../base/errors.ts";
import { defined } from "../../base/json.ts";
import { startOnce, type StartOnce } from "../../base/single-start.ts";
import type { Crews } from "../../crews/crews.ts";
import { plainLabel, plainMessage } from "../../editor/messages.ts";
import type { Execution } from "../../executions/model.ts";
import type { Senders } from "../../sending/senders.ts";
import { hasCredentials } from "../../sending/secrets.ts";
import type { Database } from "../../store/database.ts";
import { allowCallbacks } from "../callback-consent.ts";
import type { KickoffForms } from "../form/forms.ts";
import { requestOf } from "../form/values.ts";
import { checkRequestFile } from "./request-file.ts";
import { RequestFileEditing } from "./editing.ts";
import { nameOf, openRequest, type OpenRequest, refuse } from "./files.ts";

export interface RequestFilesOptions {
  readonly database: Database;
  readonly crews: Pick<
    Crews,
    "find" | "get" | "inputs" | "knownInputs" | "list" | "onDidChange" | "ready"
  >;
  readonly sending: Pick<Senders, "send">;
  readonly forms: Pick<KickoffForms, "open">;
  readonly documents: { show(execution: Execution): Promise<unknown> };
  readonly clock: Clock;
  readonly isTrusted: () => boolean;
}

/** Settles when the execution has started, perhaps in the form. */
type Begun = { readonly started: Promise<Execution | undefined> };

export class RequestFiles implements vscode.Disposable {
  readonly #options: RequestFilesOptions;
  readonly #starts: StartOnce<Begun | undefined>;
  readonly #editing: RequestFileEditing;

  constructor(options: RequestFilesOptions) {
    this.#options = options;
    this.#editing = new RequestFileEditing(options.crews);
    this.#starts = startOnce(options.clock);
  }

  /**
   * A double click on the same text starts once. If a callback needs a secret, or the workspace isn't trusted, a person
   * gets the form: a harmless-looking lens could cost money. @throws UserError for the first problem, and what
   * {@link Senders.send} throws
   */
  async kickOff(
    uri: vscode.Uri,
    by: { readonly isPerson: boolean },
  ): Promise<Execution | undefined> {
    const request = await openRequest(uri, this.#options.crews);
    // A file that was edited since is another kickoff.
    const key = JSON.stringify([uri.toString(), request.document.getText()]);
    const begun = await this.#starts(key, by, () => this.#begin(request, by.isPerson));
    return await begun?.started;
  }

  async openInForm(uri: vscode.Uri): Promise<Execution | undefined> {
    const begun = await this.#open(await openRequest(uri, this.#options.crews));
    return await begun?.started;
  }

  dispose(): void {
    this.#editing.dispose();
  }

  async #begin(read: OpenRequest, isPerson: boolean): Promise<Begun | undefined> {
    const { documents, isTrusted } = this.#options;
    if (isTrusted() && !hasCredentials(read.file.values)) {
      const execution = await this.#start(read);
      // The form shows what it starts itself.
      if (execution !== undefined && isPerson) await documents.show(execution);
      return execution && { started: Promise.resolve(execution) };
    }
    const name = nameOf(read.document.uri);
    const message = isTrusted()
      ? vscode.l10n.t(
          "{0} names a callback that needs a secret, which no file holds. Enter it in the form; nothing was sent yet.",
          name,
        )
      : vscode.l10n.t(
          "You have not trusted this workspace. Check what {0} sends in the form; nothing was sent yet.",
          name,
        );
    if (!isPerson) throw new UserError(message);
    void vscode.window.showInformationMessage(plainMessage(message));
    return await this.#open(read);
  }

  async #open({ crew, file }: OpenRequest): Promise<Begun | undefined> {
    const { crews, forms, database } = this.#options;
    if (!(await allowCallbacks(database, crew, file.values))) return undefined;
    const values = { inputs: {}, ...file.values };
    return { started: forms.open(await crews.ready(crew), values, { replaces: true }) };
  }

  async #start({ document, crew, file }: OpenRequest): Promise<Execution | undefined> {
    const { crews, sending, database } = this.#options;
    const title = plainLabel(vscode.l10n.t("Kicking off “{0}”…", crew.name));
    const location = vscode.ProgressLocation.Window;
    return await vscode.window.withProgress({ location, title }, async () => {
      const ready = await crews.ready(crew);
      const inputs = await crews.inputs(ready, { fresh: true });
      this.#editing.refresh();
      refuse(document, file, checkRequestFile(file, crew, inputs));
      if (!(await allowCallbacks(database, crew, file.values))) return undefined;
      const whole = { ...emptyInputs(inputs.fields), ...file.values.inputs };
      const request = requestOf({ ...file.values, inputs: whole });
      return await sending.send(ready, request, defined({ label: file.label }));
    });
  }
}
