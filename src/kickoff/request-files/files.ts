import path from "node:path";
import * as v from "valibot";
import * as vscode from "vscode";
import { givenCallbacks, type GivenCallback } from "../../api/callbacks.ts";
import type { CallbackUrls, PlainCallbacks } from "../../api/types.ts";
import { hashOf } from "../../base/bearer.ts";
import { action, UserError } from "../../base/errors.ts";
import type { Crews } from "../../crews/crews.ts";
import { addCrewAction, startLocalAction } from "../../crews/errors.ts";
import type { Crew } from "../../crews/types.ts";
import { logProblem } from "../../editor/log.ts";
import { confirm, showActions } from "../../editor/messages.ts";
import { isLocalCrew, type CrewRef } from "../../executions/model.ts";
import type { Prefill } from "../callbacks.ts";
import { crewValues } from "../../store/crew-values.ts";
import type { Database } from "../../store/database.ts";
import { curlCommand } from "../curl.ts";
import type { Span } from "../json.ts";
import { callbacksText } from "../texts.ts";
import { requestFileEnding, suggestFileName, withEnding } from "./name.ts";
import {
  checkRequestFile,
  isHarmless,
  type KickoffFault,
  longestFile,
  readRequestFile,
  type RequestFile,
  writeRequestFile,
} from "./request-file.ts";

/** A colleague's Crewdeck must find it: a project by its folder, as seen from the file. */
export function crewInFile({ id, name }: Pick<CrewRef, "id" | "name">, file: vscode.Uri): string {
  if (!isLocalCrew({ id })) return name;
  // The class follows "#".
  const project = vscode.Uri.parse(id.slice("local:".length));
  const workspace = vscode.workspace.getWorkspaceFolder(project)?.uri.path;
  if (workspace === undefined || !file.path.startsWith(`${workspace.replace(/\/$/, "")}/`))
    return name;
  const relative = path.posix.relative(path.posix.dirname(file.path), project.path);
  const folder = relative.startsWith("..") ? relative : `./${relative}`;
  return project.fragment === "" ? folder : `${folder}#${project.fragment}`;
}

/** The ID of the local crew whose project's folder a file names. */
function localIdIn(crew: string, file: vscode.Uri): string | undefined {
  if (!/^\.\.?(?:[/#]|$)/.test(crew)) return undefined;
  const [steps = "", crewClass] = crew.split("#");
  const folder = path.posix.join(path.posix.dirname(file.path), steps).replace(/(.)\/$/, "$1");
  // A file that isn't saved yet has the path at which it will be.
  const scheme =
    file.scheme === "untitled"
      ? (vscode.workspace.workspaceFolders?.[0]?.uri.scheme ?? "file")
      : file.scheme;
  const uri = file.with({ scheme, path: folder, query: "", fragment: "" });
  return `local:${uri.toString()}${crewClass === undefined ? "" : `#${crewClass}`}`;
}

export function crewOfFile(
  crews: Pick<Crews, "find">,
  { crew }: Pick<RequestFile, "crew">,
  file: vscode.Uri,
): Crew | undefined {
  return crew === undefined ? undefined : crews.find(localIdIn(crew, file) ?? crew);
}

export type OpenRequest = Awaited<ReturnType<typeof openRequest>>;

/** With its unsaved changes. Doesn't check the inputs. @throws UserError for an invalid file */
export async function openRequest(uri: vscode.Uri, crews: Pick<Crews, "find" | "get">) {
  await checkFile(uri);
  const document = await vscode.workspace.openTextDocument(uri);
  const file = readRequestFile(document.getText());
  const crew = crewOfFile(crews, file, uri);
  refuse(document, file, checkRequestFile(file, crew, undefined));
  // Throws an error that lists the connected crews.
  return { document, file, crew: crew ?? crews.get(file.crew ?? "") };
}

/** @throws UserError for a device, which VS Code would read for ever, and for a large file */
export async function checkFile(uri: vscode.Uri): Promise<void> {
  if (uri.scheme !== "file") return;
  // VS Code reports another error, such as for a missing file, itself.
  const stats = await Promise.resolve(vscode.workspace.fs.stat(uri)).catch(() => undefined);
  const { File, Directory } = vscode.FileType;
  if (stats === undefined) return;
  if ((stats.type & (File | Directory)) === 0 || stats.size > longestFile)
    throw new UserError(
      vscode.l10n.t(
        "{0} is not a regular file of at most 1 MB. Fill in large inputs in the kickoff form, from text files.",
        uri.fsPath,
      ),
    );
}

export function refuse(
  document: vscode.TextDocument,
  file: RequestFile,
  faults: readonly KickoffFault[],
): void {
  const fault = faults.find((each) => !isHarmless(each));
  if (fault === undefined) return;
  const { uri } = document;
  const selection = rangeOf(document, fault.at);
  const [folder, crewClass] =
    localIdIn(file.crew ?? "", uri)
      ?.split(/^local:|#/)
      .slice(1) ?? [];
  const remedy = folder === undefined ? addCrewAction() : startLocalAction(folder, crewClass);
  throw new UserError(
    vscode.l10n.t(
      "{0}, line {1}: {2} Nothing was sent.",
      nameOf(uri),
      selection.start.line + 1,
      fault.text,
    ),
    [
      ...(fault.kind === "unknownCrew" ? [remedy] : []),
      action(vscode.l10n.t("Show"), "vscode.open", uri, { selection }),
    ],
  );
}

/**
 * Asks once for all callbacks not yet allowed: a request file could send outputs elsewhere. Not in settings, which are synced.
 * @returns whether they are allowed now
 */
export async function allowCallbacks(
  database: Database,
  { id, name: crewName }: Pick<Crew, "id" | "name">,
  callbacks: CallbackUrls & PlainCallbacks,
): Promise<boolean> {
  const parse = (raw: unknown) => v.parse(v.array(v.string()), raw);
  const marks = crewValues<readonly string[]>(database, "callbacks", parse, (error) =>
    logProblem("Reading the allowed callbacks", error, id),
  );
  // A hash, because anybody who knows a callback's path can post to it.
  const markOf = ({ name, address }: GivenCallback) => hashOf(JSON.stringify([id, name, address]));
  const allowed = marks.get(id) ?? [];
  const asked = givenCallbacks(callbacks).filter((each) => !allowed.includes(markOf(each)));
  if (asked.length === 0) return true;
  const question = vscode.l10n.t("Let “{0}” call these addresses?", crewName);
  const detail = [
    vscode.l10n.t("The request file asks the crew to send:"),
    callbacksText(asked),
    vscode.l10n.t(
      "Allow this only if you know who receives the data. You are asked once for each crew and address.",
    ),
  ].join("\n\n");
  if (!(await confirm(question, detail, vscode.l10n.t("Allow")))) return false;
  marks.change(id, (before = []) => [...new Set([...before, ...asked.map(markOf)])]);
  return true;
}

export function rangeOf(document: vscode.TextDocument, { start, end }: Span): vscode.Range {
  return new vscode.Range(document.positionAt(start), document.positionAt(end));
}

export function nameOf(uri: vscode.Uri): string {
  return uri.path.split("/").at(-1) ?? uri.path;
}

interface RequestToSave {
  readonly crew: Pick<CrewRef, "id" | "name">;
  readonly values: Prefill;
  readonly label?: string | undefined;
}

export async function openUnsaved(request: RequestToSave): Promise<vscode.Uri> {
  const { crew, values } = request;
  const root = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file("/");
  const suggested = await freeUri(root, suggestFileName(crew.name, values.inputs));
  const hasFolder = vscode.workspace.workspaceFolders !== undefined;
  // An absolute path is where it will be saved, without a question.
  const path = hasFolder ? suggested.path : suggested.path.slice(1);
  const uri = suggested.with({ scheme: "untitled", path });
  const document = await vscode.workspace.openTextDocument(uri);
  const edit = new vscode.WorkspaceEdit();
  edit.insert(uri, new vscode.Position(0, 0), textOf(request, uri));
  await vscode.workspace.applyEdit(edit);
  await vscode.window.showTextDocument(document, { preview: false });
  return uri;
}

export async function saveNew(uri: vscode.Uri, request: RequestToSave): Promise<vscode.Uri> {
  const target = uri.with({ path: withEnding(uri.path) });
  const name = vscode.workspace.asRelativePath(target);
  if (!(await isFree(target)))
    throw new UserError(vscode.l10n.t("{0} exists already. Nothing was written.", name));
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(textOf(request, target)));
  return target;
}

function textOf({ crew, values, label }: RequestToSave, file: vscode.Uri): string {
  return writeRequestFile(crewInFile(crew, file), values, label);
}

/** A request file of this name, or with a number behind it. */
export async function freeUri(folder: vscode.Uri, name: string): Promise<vscode.Uri> {
  // An editor that isn't saved yet has a name, too.
  const open = vscode.workspace.textDocuments.map(({ uri }) => nameOf(uri));
  for (let number = 1; ; number++) {
    const ending = `${number === 1 ? "" : `-${number}`}${requestFileEnding}`;
    const uri = vscode.Uri.joinPath(folder, name.replace(requestFileEnding, ending));
    if (!open.includes(nameOf(uri)) && (await isFree(uri))) return uri;
  }
}

async function isFree(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return false;
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === "FileNotFound") return true;
    throw error;
  }
}

export async function copyCurl(crew: Pick<CrewRef, "id" | "url">, values: Prefill): Promise<void> {
  const { command, variables } = curlCommand(crew.url, values);
  await vscode.env.clipboard.writeText(command);
  const text = vscode.l10n.t(
    "Copied for a POSIX shell. Set {0} before you run it.",
    variables.join(", "),
  );
  const copy = action(vscode.l10n.t("Copy Token"), "crewdeck.copyToken", { crew: crew.id });
  void showActions("Information", text, isLocalCrew(crew) ? [copy] : []);
}
