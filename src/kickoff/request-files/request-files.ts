import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import { kickoffBody } from "../../api/requests.ts";
import type { KickoffRequest } from "../../api/types.ts";
import type { Crews } from "../../crews/crews.ts";
import { costsMoney, type Crew } from "../../crews/types.ts";
import { UserError } from "../../base/errors.ts";
import { plainLabel, plainMessage } from "../../editor/messages.ts";
import type { Execution } from "../../executions/model.ts";
import { askedCallbacks, callbacksInWords } from "../asked-callbacks.ts";
import type { CallbackConsent } from "../callback-consent.ts";
import { copyCurl } from "../copy-curl.ts";
import type { KickoffForms } from "../form/forms.ts";
import { OneWish } from "../single-start.ts";
import type { KickoffSender } from "../../sending/kickoff.ts";
import { checkRequestFile } from "./check.ts";
import { wholeRequest } from "./whole-request.ts";
import { readRequestFile, type RequestFile } from "./request-file.ts";
import { faultInWords, isHarmless, type RequestFault } from "./words.ts";

/** What {@link RequestFiles} works with. */
export interface RequestFilesOptions {
  readonly crews: Pick<Crews, "find" | "get" | "inputs">;
  readonly sender: Pick<KickoffSender, "send">;
  readonly forms: Pick<KickoffForms, "open">;
  readonly consent: Pick<CallbackConsent, "confirm">;
  readonly clock: Clock;
  /** Makes sure that a local crew's service runs; nothing to do for a deployed one. */
  readonly wake: (crewId: string) => Promise<void>;
  /** A crew told what it asks for. */
  readonly onLearnt: () => void;
  /** Whether the person trusts the workspace; looked up at each use. */
  readonly isTrusted: () => boolean;
}

/** A file that can be used, and its crew. */
interface Read {
  readonly document: vscode.TextDocument;
  readonly crew: Crew;
  readonly file: RequestFile;
}

/** What came of a wish to kick off: settles when the execution has started, in the form perhaps, or with nothing. */
interface Begun {
  readonly started: Promise<Execution | undefined>;
}

/** What can be done with a request file. Text that is not saved counts as it stands in the editor. */
export class RequestFiles {
  readonly #options: RequestFilesOptions;
  /** By the file's address. */
  readonly #starting: OneWish<Begun | undefined>;

  constructor(options: RequestFilesOptions) {
    this.#options = options;
    this.#starting = new OneWish(options.clock);
  }

  /**
   * Kicks off what a file says, once, after everything that can be checked was. Nothing where the person does not confirm.
   * A double click is one wish; see {@link OneWish}. Where a callback needs a secret, a person goes on in the form.
   * Throws {@link UserError} with the place of what is wrong, and what {@link KickoffSender.send} throws.
   */
  async kickOff(
    uri: vscode.Uri,
    by: { readonly isPerson: boolean },
  ): Promise<Execution | undefined> {
    const begun = await this.#starting.once(uri.toString(), by, () => this.#begin(uri, by));
    return await begun?.started;
  }

  /** Puts a file's values into its crew's form; missing inputs are asked for there. Settles as {@link KickoffForms.open} does. */
  async openInForm(uri: vscode.Uri): Promise<Execution | undefined> {
    return await (
      await this.#open(await this.#read(uri))
    )?.started;
  }

  /** Copies what a file says as a command for a shell. */
  async copyCurl(uri: vscode.Uri): Promise<void> {
    const { crew, file } = await this.#read(uri);
    await copyCurl(crew, file.values);
  }

  async #begin(
    uri: vscode.Uri,
    { isPerson }: { readonly isPerson: boolean },
  ): Promise<Begun | undefined> {
    const read = await this.#read(uri);
    const request = wholeRequest(read.file.values);
    if (request !== undefined) {
      const execution = await this.#start(read, request);
      return execution && { started: Promise.resolve(execution) };
    }
    const needed = secretNeeded(read.document);
    if (!isPerson) throw needed;
    void vscode.window.showInformationMessage(plainMessage(needed.message));
    return await this.#open(read);
  }

  /** Opens the form; undefined when the person does not allow the callbacks. */
  async #open({ crew, file }: Read): Promise<Begun | undefined> {
    const { crews, forms, consent, wake } = this.#options;
    if (!(await consent.confirm(crew, file.values))) return undefined;
    await wake(crew.id);
    return {
      started: forms.open(crews.get(crew.id), { inputs: {}, ...file.values }, { replaces: true }),
    };
  }

  async #start(
    { document, crew, file }: Read,
    request: KickoffRequest,
  ): Promise<Execution | undefined> {
    const { crews, sender, consent, wake, onLearnt, isTrusted } = this.#options;
    return await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Window,
        title: plainLabel(vscode.l10n.t("Kicking off “{0}”…", crew.name)),
      },
      async () => {
        await wake(crew.id);
        const inputs = await crews.inputs(crews.get(crew.id), { fresh: true });
        onLearnt();
        refuse(document, checkRequestFile(file, crew, inputs));
        if (
          !(await (isTrusted()
            ? consent.confirm(crew, request)
            : confirmUntrusted(document, crew, request)))
        )
          return undefined;
        return await sender.send(
          crews.get(crew.id),
          request,
          file.label === undefined ? {} : { label: file.label },
        );
      },
    );
  }

  /** A file and its crew. @throws UserError where the file can't be used whatever the crew asks for */
  async #read(uri: vscode.Uri): Promise<Read> {
    const document = await vscode.workspace.openTextDocument(uri);
    const file = readRequestFile(document.getText());
    const crew = file.crew === undefined ? undefined : this.#options.crews.find(file.crew);
    refuse(document, checkRequestFile(file, crew, undefined));
    // Names the connected crews where this one is not among them.
    return { document, file, crew: crew ?? this.#options.crews.get(file.crew ?? "") };
  }
}

function secretNeeded(document: vscode.TextDocument): UserError {
  const open = {
    title: vscode.l10n.t("Open in Form"),
    command: "crewdeck.openFileInForm",
    arguments: [{ file: document.uri.toString() }],
  };
  return new UserError(
    vscode.l10n.t(
      "{0} names a callback that needs a secret, which no file holds. Enter it in the form; nothing was sent yet.",
      nameOf(document),
    ),
    [open],
  );
}

/** @throws UserError that says the first thing that is wrong, and where */
function refuse(document: vscode.TextDocument, faults: readonly RequestFault[]): void {
  const fault = faults.find((each) => !isHarmless(each));
  if (fault === undefined) return;
  const { line, character } = document.positionAt(fault.at.start);
  const range = new vscode.Range(
    line,
    character,
    document.positionAt(fault.at.end).line,
    document.positionAt(fault.at.end).character,
  );
  const connect =
    fault.kind === "unknownCrew"
      ? [{ title: vscode.l10n.t("Connect a Crew"), command: "crewdeck.addCrew" }]
      : [];
  throw new UserError(
    vscode.l10n.t(
      "{0}, line {1}: {2} Nothing was sent.",
      nameOf(document),
      line + 1,
      faultInWords(fault),
    ),
    [
      ...connect,
      {
        title: vscode.l10n.t("Show"),
        command: "vscode.open",
        arguments: [document.uri, { selection: range }],
      },
    ],
  );
}

/**
 * A workspace that nobody trusts must not start anything that costs money by a lens that looks harmless. The question names the callbacks,
 * also those that were allowed before, and allows none for later.
 */
async function confirmUntrusted(
  document: vscode.TextDocument,
  crew: Crew,
  request: KickoffRequest,
): Promise<boolean> {
  const kickOff = vscode.l10n.t("Kick Off");
  const bytes = new TextEncoder().encode(JSON.stringify(kickoffBody(request))).length;
  const { host } = new URL(crew.url);
  const callbacks = askedCallbacks(request);
  const detail = [
    vscode.l10n.t(
      "You have not trusted this workspace. {0} asks for a kickoff of “{1}”.",
      nameOf(document),
      crew.name,
    ),
    costsMoney(crew)
      ? vscode.l10n.t("{0} bytes are sent to {1}. A kickoff can cost money.", bytes, host)
      : vscode.l10n.t("{0} bytes are sent to {1}.", bytes, host),
    ...(callbacks.length === 0
      ? []
      : [vscode.l10n.t("It asks the crew to send:"), callbacksInWords(callbacks)]),
  ].join("\n\n");
  return (
    (await vscode.window.showWarningMessage(
      vscode.l10n.t("Kick off “{0}” from a file of an untrusted workspace?", crew.name),
      { modal: true, detail },
      kickOff,
    )) === kickOff
  );
}

function nameOf({ uri }: vscode.TextDocument): string {
  return uri.path.split("/").at(-1) ?? uri.path;
}
