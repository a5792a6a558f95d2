import * as vscode from "vscode";
import { Disposables } from "../../base/events.ts";
import type { Crews } from "../../crews/crews.ts";
import type { Span } from "../json.ts";
import { checkRequestFile, faultText, isHarmless } from "./check.ts";
import { isRequestFile } from "./name.ts";
import { readRequestFile } from "./request-file.ts";

/** Longer files aren't checked (characters). */
const longest = 1_000_000;
/** Reported by VS Code's JSON support, with the manifest's schema. */
const bySchema = new Set<string>(["syntax", "notAnObject", "noCrew", "wrongType", "wrongStrategy"]);

/** Sends no requests. */
export function diagnoseRequestFiles(crews: Pick<Crews, "find" | "knownInputs" | "onDidChange">) {
  const owned = new Disposables();
  const marks = owned.add(vscode.languages.createDiagnosticCollection("crewdeck"));
  const faultsIn = (text: string) => {
    const file = readRequestFile(text);
    const crew = file.crew === undefined ? undefined : crews.find(file.crew);
    const faults = checkRequestFile(file, crew, crew && crews.knownInputs(crew));
    return faults.filter(({ kind }) => !bySchema.has(kind));
  };
  const mark = (document: vscode.TextDocument) => {
    if (!isRequestFile(document.uri)) return;
    const text = document.getText();
    const { Error, Warning } = vscode.DiagnosticSeverity;
    const found = (text.length > longest ? [] : faultsIn(text)).map((fault) => {
      const severity = isHarmless(fault) ? Warning : Error;
      const made = new vscode.Diagnostic(rangeOf(document, fault.at), faultText(fault), severity);
      return Object.assign(made, { source: "Crewdeck", code: fault.kind });
    });
    marks.set(document.uri, found);
  };
  const { workspace } = vscode;
  const refresh = () => workspace.textDocuments.forEach(mark);
  owned.add(workspace.onDidOpenTextDocument(mark));
  owned.add(workspace.onDidChangeTextDocument(({ document }) => mark(document)));
  owned.add(workspace.onDidCloseTextDocument(({ uri }) => marks.delete(uri)));
  owned.add(crews.onDidChange(refresh));
  refresh();
  return { refresh, dispose: () => owned.dispose() };
}

export function rangeOf(document: vscode.TextDocument, { start, end }: Span): vscode.Range {
  return new vscode.Range(document.positionAt(start), document.positionAt(end));
}
