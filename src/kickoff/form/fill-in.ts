import * as vscode from "vscode";
import type { JsonObject, JsonValue } from "../../api/types.ts";
import { NothingToDo, UserError } from "../../base/errors.ts";
import { defined } from "../../base/json.ts";
import { formatSize } from "../../base/text.ts";
import type { Crews } from "../../crews/crews.ts";
import { logProblem } from "../../editor/log.ts";
import { askFor, confirm, filled, plainLabel, showStatus } from "../../editor/messages.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { titleOf } from "../../executions/title.ts";
import type { Database } from "../../store/database.ts";
import { formatTime } from "../../view/words.ts";
import { requestOf } from "../again.ts";
import type { Prefill } from "../callbacks.ts";
import type { KeptRequests } from "../request-files/kept.ts";
import { requestFileEnding } from "../request-files/name.ts";
import { longestFile, readRequestFile, type RequestFile } from "../request-files/request-file.ts";
import {
  allowCallbacks,
  checkFile,
  crewOfFile,
  nameOf,
  openRequest,
} from "../request-files/files.ts";
import { inputsInShort, valueInShort } from "../texts.ts";
import type { Taken } from "./messages.ts";
import type { FormCrew } from "./session.ts";

export interface FillInParts {
  readonly crews: Pick<Crews, "find" | "get">;
  readonly store: Pick<ExecutionStore, "list" | "find">;
  readonly kept: KeptRequests;
  readonly database: Database;
}

interface Source extends vscode.QuickPickItem {
  readonly values?: () => Promise<Prefill | undefined>;
  /** A person's own file, which can be deleted. */
  readonly own?: vscode.Uri;
}

/** Values for the whole form. Undefined if cancelled. @throws UserError if there are none, or for an invalid file */
export async function fillForm(parts: FillInParts, crew: FormCrew): Promise<Prefill | undefined> {
  for (;;) {
    const sources = await sourcesFor(parts, crew);
    if (sources.length === 0)
      throw new NothingToDo(
        vscode.l10n.t(
          "There is nothing to fill in from yet: no saved values, no request file of this crew in the workspace, and no execution with known inputs.",
        ),
      );
    const [source, isDeleted] = await choose(sources, crew.name);
    if (!isDeleted || source?.own === undefined) return await source?.values?.();
    const question = vscode.l10n.t("Delete “{0}”?", source.label);
    const detail = vscode.l10n.t("These values are removed from this machine.");
    if (await confirm(question, detail, vscode.l10n.t("Delete")))
      await vscode.workspace.fs.delete(source.own);
  }
}

async function sourcesFor(parts: FillInParts, crew: FormCrew): Promise<readonly Source[]> {
  const { crews, store, kept, database } = parts;
  const isOwn = (file: RequestFile, uri: vscode.Uri) =>
    crewOfFile(crews, file, uri)?.id === crew.id;
  const inShort = ({ values: { inputs = {} } }: RequestFile) =>
    plainLabel(inputsInShort(inputs, 4).join(" · "));
  const own = (await kept.list())
    .map((file) => ({ file, own: vscode.Uri.file(file.path) }))
    .filter(({ file, own }) => isOwn(file, own))
    .map(({ file, own }) => ({
      label: plainLabel(valueInShort(file.label ?? "")),
      description: inShort(file),
      own,
      // The form marks what is unfinished, and nothing is too large that was saved here.
      values: async () =>
        file.faults.every(({ kind }) => kind === "unfinished")
          ? file.values
          : (await openRequest(own, crews)).file.values,
    }));
  const found = await vscode.workspace.findFiles(`**/*${requestFileEnding}`, undefined, 1000);
  const read = await Promise.all(
    found.map(async (uri) => ({ uri, file: readRequestFile(await textOf(uri)) })),
  );
  const files = read
    .filter(({ file, uri }) => isOwn(file, uri))
    .map(({ file, uri }) => ({
      label: plainLabel(vscode.workspace.asRelativePath(uri)),
      description: inShort(file),
      values: async () => {
        const request = await openRequest(uri, crews);
        const { values } = request.file;
        return (await allowCallbacks(database, request.crew, values)) ? values : undefined;
      },
    }))
    .sort((one, other) => one.label.localeCompare(other.label));
  const executions = store
    .list()
    .filter((execution) => execution.crew.id === crew.id && execution.request !== undefined)
    .map((execution) => ({
      label: plainLabel(titleOf(execution)),
      description: formatTime(execution.startedAt),
      values: () => {
        const whole = store.find(execution.localId);
        return Promise.resolve(whole && defined({ ...requestOf(whole), from: undefined }));
      },
    }));
  const group = (label: string, sources: readonly Source[]): readonly Source[] =>
    sources.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...sources];
  return [
    ...group(vscode.l10n.t("Saved values"), own),
    ...group(vscode.l10n.t("Request files"), files),
    ...group(vscode.l10n.t("Executions"), executions),
  ];
}

async function textOf(uri: vscode.Uri): Promise<string> {
  try {
    await checkFile(uri);
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return "";
  }
}

/** @returns whether it is to be deleted, too */
function choose(
  sources: readonly Source[],
  crewName: string,
): Promise<readonly [source?: Source | undefined, isDeleted?: boolean]> {
  const list = vscode.window.createQuickPick<Source>();
  list.title = vscode.l10n.t("Fill in the form of “{0}” from", crewName);
  list.placeholder = vscode.l10n.t("Choose the values to fill in");
  list.matchOnDescription = true;
  const tooltip = vscode.l10n.t("Delete");
  const buttons = [{ iconPath: new vscode.ThemeIcon("trash"), tooltip }];
  list.items = sources.map((source) => (source.own ? { ...source, buttons } : source));
  return new Promise((resolve) => {
    const end = (source: Source | undefined, isDeleted = false) => {
      resolve([source, isDeleted]);
      list.dispose();
    };
    list.onDidAccept(() => end(list.selectedItems[0]));
    list.onDidHide(() => end(undefined));
    list.onDidTriggerItemButton(({ item }) => end(item, true));
    list.show();
  });
}

export async function saveValues(
  kept: KeptRequests,
  { id, name: crewName }: FormCrew,
  values: Prefill,
): Promise<void> {
  const [first = ""] = Object.values(values.inputs ?? {});
  const name = await askFor(filled(vscode.l10n.t("The values need a name.")), {
    title: vscode.l10n.t("Save the values for “{0}”", crewName),
    prompt: vscode.l10n.t(
      "Name of the values. They are saved on this machine as a request file, without secrets, and “Fill In From…” offers them.",
    ),
    value: valueInShort(first, 40).replace(/^""$/, ""),
  });
  if (name === undefined) return;
  const isTaken = (await kept.list()).some(({ crew, label }) => crew === id && label === name);
  const question = vscode.l10n.t("Replace “{0}”?", name);
  const detail = vscode.l10n.t("Its values are replaced by those of the form.");
  if (isTaken && !(await confirm(question, detail, vscode.l10n.t("Replace")))) return;
  await kept.save(id, name, values);
  showStatus(vscode.l10n.t("The values are saved."));
}

/** Undefined if cancelled. @throws UserError for an unusable file */
export async function takeValue(store: FillInParts["store"], crewId: string, input: string) {
  const file = { label: `$(file) ${vscode.l10n.t("Text File…")}`, take: takeFile };
  const items = earlierValues(store, crewId, input).map(({ value, execution }) => ({
    label: plainLabel(valueInShort(value)),
    description: formatTime(execution.startedAt),
    detail: plainLabel(titleOf(execution)),
    take: () => Promise.resolve({ value, from: `“${titleOf(execution)}”` }),
  }));
  const chosen = await vscode.window.showQuickPick([file, ...items], {
    title: vscode.l10n.t("Fill in “{0}” from", valueInShort(input, 40)),
    placeHolder: vscode.l10n.t("A text file, or a value of an earlier execution"),
    matchOnDetail: true,
  });
  return await chosen?.take();
}

function earlierValues(store: FillInParts["store"], crewId: string, input: string) {
  const values = new Map<string, { value: JsonValue; execution: ExecutionSummary }>();
  for (const summary of store.list()) {
    if (summary.crew.id !== crewId) continue;
    // The list has only the beginning of a long value.
    const isCut = summary.request?.shortened?.includes(input) === true;
    const execution = isCut ? (store.find(summary.localId) ?? summary) : summary;
    const inputs: JsonObject = execution.request?.inputs ?? {};
    const value = Object.hasOwn(inputs, input) ? inputs[input] : undefined;
    if (value === undefined) continue;
    const key = JSON.stringify(value);
    if (!values.has(key)) values.set(key, { value, execution });
  }
  return [...values.values()];
}

async function takeFile(): Promise<Taken | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      canSelectMany: false,
      openLabel: vscode.l10n.t("Fill In"),
      title: vscode.l10n.t("Fill in from a text file"),
    })) ?? [];
  if (file === undefined) return undefined;
  try {
    await checkFile(file);
    const bytes = await vscode.workspace.fs.readFile(file);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0"))
      return { text, from: `${nameOf(file)} (${formatSize(bytes.length)})` };
  } catch (error) {
    logProblem("Reading a text file", error);
  }
  throw new UserError(
    vscode.l10n.t(
      "“{0}” can't be read, or is not a text file in UTF-8 of at most {1}.",
      nameOf(file),
      formatSize(longestFile),
    ),
  );
}
