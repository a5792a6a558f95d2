import * as vscode from "vscode";
import { isRequired } from "../../api/read-inputs.ts";
import type { InputField } from "../../api/types.ts";
import { Disposables } from "../../base/events.ts";
import { defined } from "../../base/json.ts";
import type { Crews } from "../../crews/crews.ts";
import type { Crew } from "../../crews/types.ts";
import { logProblem } from "../../editor/log.ts";
import { showStatus } from "../../editor/messages.ts";
import { crewInFile, crewOfFile, rangeOf } from "./files.ts";
import { isRequestFile } from "./name.ts";
import { checkRequestFile, isHarmless, placeAt, type WritingPlace } from "./checks.ts";
import { type KickoffFault, longestFile, readRequestFile } from "./request-file.ts";

/** Reported by VS Code's JSON support, with the manifest's schema. */
const bySchema = new Set<string>(["syntax", "notAnObject", "noCrew", "wrongType", "wrongStrategy"]);

type Offer = Partial<vscode.CompletionItem> & { readonly label: string };

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
    this.refresh();
  }

  /** Call it when a crew's inputs became known. */
  refresh(): void {
    for (const document of vscode.workspace.textDocuments) this.#mark(document);
  }

  async complete(
    document: vscode.TextDocument,
    position: vscode.Position,
    token: vscode.CancellationToken,
  ): Promise<vscode.CompletionItem[]> {
    const text = document.getText();
    const place =
      text.length > longestFile ? undefined : placeAt(text, document.offsetAt(position));
    if (place === undefined) return [];
    const range = rangeOf(document, place.replaces);
    return (await this.#offersAt(place, document, token)).map((offer, index) =>
      Object.assign(new vscode.CompletionItem(offer.label), {
        range,
        filterText: JSON.stringify(offer.label),
        sortText: String(index).padStart(4, "0"),
        ...offer,
      }),
    );
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
    const crew = crewOfFile(this.#crews, file, uri);
    const faults = checkRequestFile(file, crew, crew && this.#crews.knownInputs(crew));
    return faults.filter(({ kind }) => !bySchema.has(kind));
  }

  async #offersAt(
    place: WritingPlace,
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
  ): Promise<readonly Offer[]> {
    if (place.kind === "crew")
      return this.#crews.list().map((crew) => crewOffer(crew, document.uri));
    const fields = await this.#fieldsFor(document, token);
    if (place.kind === "inputValue")
      return fields.filter(({ name }) => name === place.name).flatMap(valueOffers);
    const missing = fields.filter(({ name }) => !place.given.has(name));
    return missing.map((field) => nameOffer(field, place));
  }

  async #fieldsFor(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
  ): Promise<readonly InputField[]> {
    const crew = crewOfFile(this.#crews, readRequestFile(document.getText()), document.uri);
    const known = crew && this.#crews.knownInputs(crew);
    if (crew === undefined || known !== undefined) return known?.fields ?? [];
    const abort = new AbortController();
    const cancelled = token.onCancellationRequested(() => abort.abort());
    try {
      const { fields } = await this.#crews.inputs(crew, { signal: abort.signal });
      this.refresh();
      return fields;
    } catch (error) {
      if (!token.isCancellationRequested) {
        logProblem("Requesting a crew's inputs", error, crew.name);
        showStatus(vscode.l10n.t("The inputs of “{0}” are not available.", crew.name));
      }
      return [];
    } finally {
      cancelled.dispose();
    }
  }
}

function crewOffer(crew: Crew, file: vscode.Uri): Offer {
  const { name, url } = crew;
  const insertText = JSON.stringify(crewInFile(crew, file));
  return { label: name, kind: vscode.CompletionItemKind.Module, insertText, detail: url };
}

function nameOffer(
  field: InputField,
  { hasValue, needsComma }: Extract<WritingPlace, { kind: "inputName" }>,
): Offer {
  const { name, type, description } = field;
  const snippet = new vscode.SnippetString().appendText(JSON.stringify(name));
  if (!hasValue) {
    appendValue(snippet.appendText(": "), field);
    if (needsComma) snippet.appendText(",");
  }
  const need = isRequired(field) ? vscode.l10n.t("required") : vscode.l10n.t("optional");
  return {
    label: name,
    kind: vscode.CompletionItemKind.Property,
    insertText: snippet,
    detail: type === undefined ? need : `${type} · ${need}`,
    // A plain string, since it isn't Markdown.
    ...defined({ documentation: description }),
  };
}

function appendValue(snippet: vscode.SnippetString, field: InputField): void {
  const choices = valuesOf(field);
  if (choices.length > 1) snippet.appendChoice(choices);
  else if (choices[0] !== undefined) snippet.appendPlaceholder(choices[0]);
  else if (field.type === undefined || field.type === "string")
    snippet.appendText('"').appendTabstop().appendText('"');
  else if (field.type === "array") snippet.appendText("[").appendTabstop().appendText("]");
  else if (field.type === "object") snippet.appendText("{").appendTabstop().appendText("}");
  else snippet.appendPlaceholder("0");
}

function valueOffers(field: InputField): readonly Offer[] {
  return valuesOf(field).map((text) => ({
    label: text,
    kind: vscode.CompletionItemKind.Value,
    insertText: text,
    filterText: text,
    ...(text === JSON.stringify(field.default) && { detail: vscode.l10n.t("default") }),
  }));
}

/** The default, then the crew's choices, as JSON. */
function valuesOf({ type, default: value, enum: named }: InputField): readonly string[] {
  const choices = named ?? (type === "boolean" ? [true, false] : []);
  const values = value === undefined ? choices : [value, ...choices];
  return [...new Set(values.map((each) => JSON.stringify(each)))];
}
