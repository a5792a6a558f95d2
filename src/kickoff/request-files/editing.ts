import { getLocation } from "jsonc-parser";
import * as vscode from "vscode";
import type { InputField } from "../../api/types.ts";
import { Disposables } from "../../base/events.ts";
import { defined } from "../../base/json.ts";
import type { Crews } from "../../crews/crews.ts";
import type { Crew } from "../../crews/types.ts";
import { logProblem } from "../../editor/log.ts";
import { choicesOf, usualMode } from "../form/fields.ts";
import { spanOf } from "../json.ts";
import { crewInFile, crewOfFile, rangeOf } from "./files.ts";
import { isRequestFile, requestFileEnding } from "./name.ts";
import { checkRequestFile, isHarmless, longestFile, readRequestFile } from "./request-file.ts";

/**
 * Marks the problems of open request files, without requests, and offers connected crews and, in `inputs`, what the crew
 * takes, requested once.
 */
export class RequestFileEditing implements vscode.Disposable {
  readonly #crews: Pick<Crews, "find" | "inputs" | "knownInputs" | "list">;
  readonly #owned = new Disposables();
  readonly #marks = this.#owned.add(vscode.languages.createDiagnosticCollection("crewdeck"));

  constructor(crews: Pick<Crews, "find" | "inputs" | "knownInputs" | "list" | "onDidChange">) {
    this.#crews = crews;
    const { workspace } = vscode;
    this.#owned.add(workspace.onDidOpenTextDocument((document) => this.#mark(document)));
    this.#owned.add(workspace.onDidChangeTextDocument(({ document }) => this.#mark(document)));
    this.#owned.add(workspace.onDidCloseTextDocument(({ uri }) => this.#marks.delete(uri)));
    this.#owned.add(crews.onDidChange(() => this.refresh()));
    const completion: vscode.CompletionItemProvider = {
      provideCompletionItems: (document, position) => this.#complete(document, position),
    };
    // Saved or not, in any file system.
    const selector = { pattern: `**/*${requestFileEnding}` };
    const { languages } = vscode;
    this.#owned.add(languages.registerCompletionItemProvider(selector, completion, '"', ":"));
    this.#owned.add(
      languages.registerCodeLensProvider(selector, {
        provideCodeLenses: ({ uri }) => lensesFor(uri),
      }),
    );
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
    const { uri } = document;
    const text = document.getText();
    if (!isRequestFile(uri) || text.length > longestFile) return;
    const file = readRequestFile(text);
    const crew = crewOfFile(this.#crews, file, uri);
    const found = checkRequestFile(file, crew, crew && this.#crews.knownInputs(crew))
      // VS Code's JSON support reports these, with the manifest's schema.
      .filter(({ kind }) => kind !== "syntax" && kind !== "schema")
      .map((fault) => {
        const { Error, Warning } = vscode.DiagnosticSeverity;
        const severity = isHarmless(fault) ? Warning : Error;
        const made = new vscode.Diagnostic(rangeOf(document, fault.at), fault.text, severity);
        return Object.assign(made, { source: "Crewdeck" });
      });
    this.#marks.set(uri, found);
  }

  async #complete(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<vscode.CompletionItem[]> {
    const text = document.getText();
    if (text.length > longestFile) return [];
    const offset = document.offsetAt(position);
    const { path, isAtPropertyKey, previousNode: node } = getLocation(text, offset);
    const [member, name] = path;
    const range =
      node && offset <= spanOf(node).end
        ? rangeOf(document, spanOf(node))
        : (document.getWordRangeAtPosition(position, /[\w-]+/) ??
          new vscode.Range(position, position));
    const item = (label: string, more: Partial<vscode.CompletionItem>) =>
      Object.assign(new vscode.CompletionItem(label, vscode.CompletionItemKind.Value), {
        ...{ range, filterText: JSON.stringify(label) },
        ...more,
      });
    if (member === "crew" && path.length === 1 && !isAtPropertyKey)
      return this.#crews.list().map((crew) => {
        const insertText = JSON.stringify(crewInFile(crew, document.uri));
        return item(crew.name, { insertText, detail: crew.url });
      });
    if (member !== "inputs" || path.length !== 2 || !isAtPropertyKey) return [];
    const file = readRequestFile(text);
    const fields = await this.#fieldsFor(crewOfFile(this.#crews, file, document.uri));
    const hasValue = /^\s*:/.test(text.slice(document.offsetAt(range.end)));
    return fields
      .filter(
        (field) => field.name === name || !Object.hasOwn(file.values.inputs ?? {}, field.name),
      )
      .map((field) =>
        item(field.name, {
          insertText: hasValue ? JSON.stringify(field.name) : memberOf(field),
          // A plain string, since it isn't Markdown.
          ...defined({ detail: field.type, documentation: field.description }),
        }),
      );
  }

  async #fieldsFor(crew: Crew | undefined): Promise<readonly InputField[]> {
    if (crew === undefined) return [];
    const known = this.#crews.knownInputs(crew);
    if (known !== undefined) return known.fields;
    try {
      const { fields } = await this.#crews.inputs(crew);
      this.refresh();
      return fields;
    } catch (error) {
      logProblem("Requesting a crew's inputs", error, crew.name);
      return [];
    }
  }
}

function lensesFor(uri: vscode.Uri): vscode.CodeLens[] {
  const lens = (title: string, command: string, form?: boolean) =>
    new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
      ...{ title, command },
      arguments: [{ file: uri.toString(), form, by: "person" }],
    });
  return [
    lens(vscode.l10n.t("Kick Off"), "crewdeck.kickoffFile"),
    lens(vscode.l10n.t("Open in Form"), "crewdeck.kickoffFile", true),
    lens(vscode.l10n.t("Copy as cURL"), "crewdeck.copyAsCurl"),
  ];
}

function memberOf(field: InputField): vscode.SnippetString {
  const snippet = new vscode.SnippetString().appendText(`${JSON.stringify(field.name)}: `);
  const { default: value } = field;
  const first = value === undefined ? [] : [JSON.stringify(value)];
  const choices = [...new Set([...first, ...(choicesOf(field) ?? [])])];
  if (choices.length > 1) return snippet.appendChoice(choices);
  if (usualMode(field) === "text" && choices.length === 0)
    return snippet.appendText('"').appendTabstop().appendText('"');
  return choices[0] === undefined ? snippet.appendTabstop() : snippet.appendPlaceholder(choices[0]);
}
