import { getLocation } from "jsonc-parser";
import * as vscode from "vscode";
import { emptyInputs } from "../../api/read-inputs.ts";
import type { InputField } from "../../api/types.ts";
import type { Clock } from "../../base/clock.ts";
import { UserError } from "../../base/errors.ts";
import { Disposables } from "../../base/events.ts";
import { defined } from "../../base/json.ts";
import { startOnce } from "../../base/single-start.ts";
import type { Crews } from "../../crews/crews.ts";
import type { Crew } from "../../crews/types.ts";
import { logProblem } from "../../editor/log.ts";
import { plainLabel, plainMessage } from "../../editor/messages.ts";
import type { Execution } from "../../executions/model.ts";
import type { Senders } from "../../sending/senders.ts";
import { hasCredentials } from "../../sending/secrets.ts";
import type { Database } from "../../store/database.ts";
import { choicesOf, usualMode } from "../form/fields.ts";
import type { KickoffForms } from "../form/forms.ts";
import { requestOf } from "../form/values.ts";
import { spanOf } from "../json.ts";
import {
  allowCallbacks,
  crewInFile,
  crewOfFile,
  nameOf,
  openRequest,
  type OpenRequest,
  rangeOf,
  refuse,
} from "./files.ts";
import { isRequestFile, requestFileEnding } from "./name.ts";
import { checkRequestFile, isHarmless, longestFile, readRequestFile } from "./request-file.ts";

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

export type RequestFiles = ReturnType<typeof requestFiles>;

export function requestFiles(options: RequestFilesOptions) {
  const { crews, sending, forms, database, documents, isTrusted } = options;
  const starts = startOnce<Begun | undefined>(options.clock);
  const editing = supportEditing(crews);
  const openForm = async ({ crew, file }: OpenRequest): Promise<Begun | undefined> => {
    if (!(await allowCallbacks(database, crew, file.values))) return undefined;
    const values = { inputs: {}, ...file.values };
    return { started: forms.open(await crews.ready(crew), values, { replaces: true }) };
  };
  const start = async ({ document, crew, file }: OpenRequest): Promise<Execution | undefined> => {
    const title = plainLabel(vscode.l10n.t("Kicking off “{0}”…", crew.name));
    const location = vscode.ProgressLocation.Window;
    return await vscode.window.withProgress({ location, title }, async () => {
      const ready = await crews.ready(crew);
      const inputs = await crews.inputs(ready, { fresh: true });
      editing.refresh();
      refuse(document, file, checkRequestFile(file, crew, inputs));
      if (!(await allowCallbacks(database, crew, file.values))) return undefined;
      const whole = { ...emptyInputs(inputs.fields), ...file.values.inputs };
      const request = requestOf({ ...file.values, inputs: whole });
      return await sending.send(ready, request, defined({ label: file.label }));
    });
  };
  const begin = async (read: OpenRequest, isPerson: boolean): Promise<Begun | undefined> => {
    if (isTrusted() && !hasCredentials(read.file.values)) {
      const execution = await start(read);
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
    return await openForm(read);
  };
  return {
    /**
     * A double click on the same text starts once. If a callback needs a secret, or the workspace isn't trusted, a person
     * gets the form: a harmless-looking lens could cost money. @throws UserError for the first problem, and what
     * `Senders.send` throws
     */
    async kickOff(
      uri: vscode.Uri,
      by: { readonly isPerson: boolean },
    ): Promise<Execution | undefined> {
      const request = await openRequest(uri, crews);
      // A file that was edited since is another kickoff.
      const key = JSON.stringify([uri.toString(), request.document.getText()]);
      const begun = await starts(key, by, () => begin(request, by.isPerson));
      return await begun?.started;
    },
    async openInForm(uri: vscode.Uri): Promise<Execution | undefined> {
      return await (
        await openForm(await openRequest(uri, crews))
      )?.started;
    },
    dispose: () => editing.dispose(),
  };
}

/**
 * Marks the problems of open request files, without requests, and offers connected crews and, in `inputs`, what the crew
 * takes, requested once. `refresh` it when a crew's inputs became known.
 */
function supportEditing(crews: RequestFilesOptions["crews"]) {
  const owned = new Disposables();
  const marks = owned.add(vscode.languages.createDiagnosticCollection("crewdeck"));
  const mark = (document: vscode.TextDocument) => {
    const { uri } = document;
    const text = document.getText();
    if (!isRequestFile(uri) || text.length > longestFile) return;
    const file = readRequestFile(text);
    const crew = crewOfFile(crews, file, uri);
    const found = checkRequestFile(file, crew, crew && crews.knownInputs(crew))
      // VS Code's JSON support reports these, with the manifest's schema.
      .filter(({ kind }) => kind !== "syntax" && kind !== "schema")
      .map((fault) => {
        const { Error, Warning } = vscode.DiagnosticSeverity;
        const severity = isHarmless(fault) ? Warning : Error;
        const made = new vscode.Diagnostic(rangeOf(document, fault.at), fault.text, severity);
        return Object.assign(made, { source: "Crewdeck" });
      });
    marks.set(uri, found);
  };
  const refresh = () => vscode.workspace.textDocuments.forEach(mark);
  const fieldsFor = async (crew: Crew | undefined): Promise<readonly InputField[]> => {
    if (crew === undefined) return [];
    const known = crews.knownInputs(crew);
    if (known !== undefined) return known.fields;
    try {
      const { fields } = await crews.inputs(crew);
      refresh();
      return fields;
    } catch (error) {
      logProblem("Requesting a crew's inputs", error, crew.name);
      return [];
    }
  };
  const provideCompletionItems = async (
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<vscode.CompletionItem[]> => {
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
      return crews.list().map((crew) => {
        const insertText = JSON.stringify(crewInFile(crew, document.uri));
        return item(crew.name, { insertText, detail: crew.url });
      });
    if (member !== "inputs" || path.length !== 2 || !isAtPropertyKey) return [];
    const file = readRequestFile(text);
    const fields = await fieldsFor(crewOfFile(crews, file, document.uri));
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
  };
  const { workspace, languages } = vscode;
  // Saved or not, in any file system.
  const selector = { pattern: `**/*${requestFileEnding}` };
  for (const registered of [
    workspace.onDidOpenTextDocument(mark),
    workspace.onDidChangeTextDocument(({ document }) => mark(document)),
    workspace.onDidCloseTextDocument(({ uri }) => marks.delete(uri)),
    crews.onDidChange(refresh),
    languages.registerCompletionItemProvider(selector, { provideCompletionItems }, '"', ":"),
    languages.registerCodeLensProvider(selector, {
      provideCodeLenses: ({ uri }) => lensesFor(uri),
    }),
  ])
    owned.add(registered);
  refresh();
  return { refresh, dispose: () => owned.dispose() };
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
