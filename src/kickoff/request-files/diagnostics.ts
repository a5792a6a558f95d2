import * as vscode from "vscode";
import type { Crews } from "../../crews/crews.ts";
import { Disposables } from "../../base/events.ts";
import { checkRequestFile } from "./check.ts";
import { isRequestFile } from "./document.ts";
import { readRequestFile } from "./request-file.ts";
import { faultInWords, isHarmless, type RequestFault } from "./words.ts";

/** Characters above which a file is no request that somebody writes by hand. */
const longest = 1_000_000;
/** VS Code's own JSON support tells these, by the schema that the manifest contributes. */
const toldBySchema: readonly RequestFault["kind"][] = [
  "syntax",
  "notAnObject",
  "noCrew",
  "wrongType",
  "wrongStrategy",
];

/** Marks what is wrong in open request files. Asks no crew: inputs are checked where it is known already what the crew asks for. */
export class RequestFileDiagnostics implements vscode.Disposable {
  readonly #owned = new Disposables();
  readonly #crews: Pick<Crews, "find" | "knownInputs">;
  readonly #marks = this.#owned.add(vscode.languages.createDiagnosticCollection("crewdeck"));

  constructor(crews: Pick<Crews, "find" | "knownInputs" | "onDidChange">) {
    this.#crews = crews;
    this.#owned.add(vscode.workspace.onDidOpenTextDocument((document) => this.#mark(document)));
    this.#owned.add(
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#mark(document)),
    );
    this.#owned.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#marks.delete(uri)));
    this.#owned.add(crews.onDidChange(() => this.refresh()));
    this.refresh();
  }

  /** Looks at every open request file again: crews came or went, or one told what it asks for. */
  refresh(): void {
    for (const document of vscode.workspace.textDocuments) this.#mark(document);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #mark(document: vscode.TextDocument): void {
    if (!isRequestFile(document.uri)) return;
    const text = document.getText();
    this.#marks.set(
      document.uri,
      text.length > longest ? [] : this.#faultsIn(text).map((fault) => diagnostic(document, fault)),
    );
  }

  #faultsIn(text: string): readonly RequestFault[] {
    const file = readRequestFile(text);
    const crew = file.crew === undefined ? undefined : this.#crews.find(file.crew);
    const faults = checkRequestFile(file, crew, crew && this.#crews.knownInputs(crew));
    return faults.filter(({ kind }) => !toldBySchema.includes(kind));
  }
}

function diagnostic(document: vscode.TextDocument, fault: RequestFault): vscode.Diagnostic {
  const range = new vscode.Range(
    document.positionAt(fault.at.start),
    document.positionAt(fault.at.end),
  );
  const made = new vscode.Diagnostic(
    range,
    faultInWords(fault),
    isHarmless(fault) ? vscode.DiagnosticSeverity.Warning : vscode.DiagnosticSeverity.Error,
  );
  made.source = "Crewdeck";
  made.code = fault.kind;
  return made;
}
