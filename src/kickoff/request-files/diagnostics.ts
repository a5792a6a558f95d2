import * as vscode from "vscode";
import { Disposables } from "../../base/events.ts";
import type { Crews } from "../../crews/crews.ts";
import type { Span } from "../json.ts";
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

  refresh(): void {
    for (const document of vscode.workspace.textDocuments) this.#mark(document);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #mark(document: vscode.TextDocument): void {
    if (!isRequestFile(document.uri)) return;
    const text = document.getText();
    const { Error, Warning } = vscode.DiagnosticSeverity;
    const marks = (text.length > longest ? [] : this.#faultsIn(text)).map((fault) => {
      const range = rangeOf(document, fault.at);
      const severity = isHarmless(fault) ? Warning : Error;
      const mark = new vscode.Diagnostic(range, faultText(fault), severity);
      return Object.assign(mark, { source: "Crewdeck", code: fault.kind });
    });
    this.#marks.set(document.uri, marks);
  }

  #faultsIn(text: string): readonly RequestFault[] {
    const file = readRequestFile(text);
    const crew = file.crew === undefined ? undefined : this.#crews.find(file.crew);
    const faults = checkRequestFile(file, crew, crew && this.#crews.knownInputs(crew));
    return faults.filter(({ kind }) => !bySchema.includes(kind));
  }
}

export function rangeOf(document: vscode.TextDocument, { start, end }: Span): vscode.Range {
  return new vscode.Range(document.positionAt(start), document.positionAt(end));
}
