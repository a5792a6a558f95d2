import * as vscode from "vscode";
import { Disposables } from "../../base/events.ts";
import type { Crews } from "../../crews/crews.ts";
import type { Span } from "../json.ts";
import { checkRequestFile, isHarmless } from "./check.ts";
import type { KickoffFault } from "../kickoff-json.ts";
import { findInFile } from "./crew.ts";
import { isRequestFile } from "./name.ts";
import { longestFile, readRequestFile } from "./request-file.ts";

/** Reported by VS Code's JSON support, with the manifest's schema. */
const bySchema = new Set<string>(["syntax", "notAnObject", "noCrew", "wrongType", "wrongStrategy"]);

/** Marks the problems of open request files. Sends no requests. */
export class RequestFileDiagnostics implements vscode.Disposable {
  readonly #crews: Pick<Crews, "find" | "knownInputs">;
  readonly #owned = new Disposables();
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

  /** Call it when a crew's inputs became known. */
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
    const found = (text.length > longestFile ? [] : this.#faultsIn(text, document.uri)).map(
      (fault) => {
        const severity = isHarmless(fault) ? Warning : Error;
        const made = new vscode.Diagnostic(rangeOf(document, fault.at), fault.text, severity);
        return Object.assign(made, { source: "Crewdeck", code: fault.kind });
      },
    );
    this.#marks.set(document.uri, found);
  }

  #faultsIn(text: string, uri: vscode.Uri): readonly KickoffFault[] {
    const file = readRequestFile(text);
    const crew = file.crew === undefined ? undefined : findInFile(this.#crews, file.crew, uri);
    const faults = checkRequestFile(file, crew, crew && this.#crews.knownInputs(crew));
    return faults.filter(({ kind }) => !bySchema.has(kind));
  }
}

export function rangeOf(document: vscode.TextDocument, { start, end }: Span): vscode.Range {
  return new vscode.Range(document.positionAt(start), document.positionAt(end));
}
