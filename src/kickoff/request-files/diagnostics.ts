import * as vscode from "vscode";
import { Disposables } from "../../base/events.ts";
import type { Crews } from "../../crews/crews.ts";
import { checkRequestFile, faultText, isHarmless, type RequestFault } from "./check.ts";
import { isRequestFile } from "./name.ts";
import { readRequestFile } from "./request-file.ts";

/** Longer files are not checked, in characters. */
const longest = 1_000_000;
/** VS Code's JSON support reports these, by the schema in the manifest. */
const bySchema: readonly RequestFault["kind"][] = [
  "syntax",
  "notAnObject",
  "noCrew",
  "wrongType",
  "wrongStrategy",
];

/** Marks problems in open request files, without requests: inputs are checked if they are known. */
export class RequestFileDiagnostics implements vscode.Disposable {
  readonly #owned = new Disposables();
  readonly #crews: Pick<Crews, "find" | "knownInputs">;
  readonly #marks = this.#owned.add(vscode.languages.createDiagnosticCollection("crewdeck"));

  constructor(crews: Pick<Crews, "find" | "knownInputs" | "onDidChange">) {
    this.#crews = crews;
    const { workspace } = vscode;
    this.#owned.add(workspace.onDidOpenTextDocument((document) => this.#mark(document)));
    this.#owned.add(workspace.onDidChangeTextDocument(({ document }) => this.#mark(document)));
    this.#owned.add(workspace.onDidCloseTextDocument(({ uri }) => this.#marks.delete(uri)));
    this.#owned.add(crews.onDidChange(() => this.refresh()));
    this.refresh();
  }

  /** Checks all open request files: the crews or their inputs changed. */
  refresh(): void {
    for (const document of vscode.workspace.textDocuments) this.#mark(document);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #mark(document: vscode.TextDocument): void {
    if (!isRequestFile(document.uri)) return;
    const text = document.getText();
    const faults = text.length > longest ? [] : this.#faultsIn(text);
    const marks = faults.map((fault) => diagnostic(document, fault));
    this.#marks.set(document.uri, marks);
  }

  #faultsIn(text: string): readonly RequestFault[] {
    const file = readRequestFile(text);
    const crew = file.crew === undefined ? undefined : this.#crews.find(file.crew);
    const faults = checkRequestFile(file, crew, crew && this.#crews.knownInputs(crew));
    return faults.filter(({ kind }) => !bySchema.includes(kind));
  }
}

function diagnostic(document: vscode.TextDocument, fault: RequestFault): vscode.Diagnostic {
  const { Error, Warning } = vscode.DiagnosticSeverity;
  const made = new vscode.Diagnostic(
    new vscode.Range(document.positionAt(fault.at.start), document.positionAt(fault.at.end)),
    faultText(fault),
    isHarmless(fault) ? Warning : Error,
  );
  made.source = "Crewdeck";
  made.code = fault.kind;
  return made;
}
