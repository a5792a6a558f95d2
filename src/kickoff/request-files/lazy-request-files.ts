import * as vscode from "vscode";
import { Disposables } from "../../base/events.ts";
import type { Crews } from "../../crews/crews.ts";
import { logProblem } from "../../editor/log.ts";
import type { Database } from "../../store/database.ts";
import type { completeRequestFiles } from "./completion.ts";
import { isRequestFile, requestFileEnding } from "./name.ts";
import type { RequestFiles, RequestFilesOptions } from "./request-files.ts";

interface Loaded {
  readonly files: RequestFiles;
  readonly complete: ReturnType<typeof completeRequestFiles>;
}

interface LazyOptions extends Pick<
  RequestFilesOptions,
  "sender" | "forms" | "documents" | "clock"
> {
  readonly database: Database;
  readonly crews: Crews;
}

/** The support for request files, loaded with the first one. */
export class LazyRequestFiles implements vscode.Disposable {
  readonly #options: LazyOptions;
  readonly #owned = new Disposables();
  #loading: Promise<Loaded> | undefined;

  constructor(options: LazyOptions) {
    this.#options = options;
    const look = ({ uri }: vscode.TextDocument) => {
      if (isRequestFile(uri))
        void this.#load().catch((error: unknown) =>
          logProblem("Loading the support for request files", error),
        );
    };
    this.#owned.add(vscode.workspace.onDidOpenTextDocument(look));
    vscode.workspace.textDocuments.forEach(look);
    // Saved or not, in any file system.
    const selector: vscode.DocumentSelector = { pattern: `**/*${requestFileEnding}` };
    this.#owned.add(
      vscode.languages.registerCodeLensProvider(selector, {
        provideCodeLenses: ({ uri }) => lensesFor(uri),
      }),
    );
    const completion: vscode.CompletionItemProvider = {
      provideCompletionItems: async (document, position, token) =>
        await (await this.#load()).complete(document, position, token),
    };
    this.#owned.add(
      vscode.languages.registerCompletionItemProvider(selector, completion, '"', ":"),
    );
  }

  /** See {@link RequestFiles.kickOff}. */
  async kickOff(...request: Parameters<RequestFiles["kickOff"]>) {
    return await (await this.#load()).files.kickOff(...request);
  }

  async openInForm(file: vscode.Uri) {
    return await (await this.#load()).files.openInForm(file);
  }

  async copyCurl(file: vscode.Uri): Promise<void> {
    await (await this.#load()).files.copyCurl(file);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #load(): Promise<Loaded> {
    return (this.#loading ??= this.#create());
  }

  async #create(): Promise<Loaded> {
    const [request, diagnostics, completion, allow] = await Promise.all([
      import("./request-files.ts"),
      import("./diagnostics.ts"),
      import("./completion.ts"),
      import("../callback-consent.ts"),
    ]);
    const { database, ...options } = this.#options;
    const { crews } = options;
    const problems = this.#owned.add(new diagnostics.RequestFileDiagnostics(crews));
    const files = new request.RequestFiles({
      ...options,
      consent: new allow.CallbackConsent(database),
      problems,
      isTrusted: () => vscode.workspace.isTrusted,
    });
    return { files, complete: completion.completeRequestFiles(crews, problems) };
  }
}

function lensesFor(uri: vscode.Uri): vscode.CodeLens[] {
  return [
    {
      title: vscode.l10n.t("Kick Off"),
      command: "crewdeck.kickoffFile",
      tooltip: vscode.l10n.t("Starts an execution with these inputs, including unsaved changes"),
    },
    {
      title: vscode.l10n.t("Open in Form"),
      command: "crewdeck.kickoffFile",
      form: true,
      tooltip: vscode.l10n.t("Fills these values into the crew's form; nothing is sent yet"),
    },
    {
      title: vscode.l10n.t("Copy as cURL"),
      command: "crewdeck.copyAsCurl",
      tooltip: vscode.l10n.t("The same kickoff as a command for a shell, without the token"),
    },
  ].map(({ form, ...lens }) => {
    const given = [{ file: uri.toString(), form, fromLens: true }];
    return new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { ...lens, arguments: given });
  });
}
