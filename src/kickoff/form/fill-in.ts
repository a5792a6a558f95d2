import * as vscode from "vscode";
import type { JsonObject, JsonValue } from "../../api/types.ts";
import { messageOf, NothingToDo, UserError } from "../../base/errors.ts";
import { Disposables } from "../../base/events.ts";
import { defined } from "../../base/json.ts";
import { formatSize } from "../../base/text.ts";
import type { Crews } from "../../crews/crews.ts";
import { confirm, plainLabel, showStatus } from "../../editor/messages.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { titleOf } from "../../executions/title.ts";
import { requestOf } from "../again.ts";
import type { CallbackConsent } from "../callback-consent.ts";
import type { Prefill } from "../callbacks.ts";
import type { KickoffFault } from "../kickoff-json.ts";
import { findInFile } from "../request-files/crew.ts";
import type { KeptRequests } from "../request-files/kept.ts";
import { requestFileEnding } from "../request-files/name.ts";
import { readRequestFile } from "../request-files/request-file.ts";
import { checkFile, openRequest } from "../request-files/request-files.ts";
import { inputsInShort, valueInShort } from "../texts.ts";
import type { FormCrew, Taken } from "./messages.ts";

/** In bytes: it becomes part of prompts, and of the stored execution. */
export const largestText = 1_000_000;

export interface FillInParts {
  readonly crews: Pick<Crews, "find" | "get">;
  readonly store: Pick<ExecutionStore, "list" | "find">;
  readonly kept: KeptRequests;
  readonly consent: Pick<CallbackConsent, "confirm">;
}

interface Source extends vscode.QuickPickItem {
  readonly values?: () => Promise<Prefill | undefined>;
  /** A person's own file, which can be opened and deleted. */
  readonly own?: vscode.Uri;
}

/** Faults by which a file's values are read only in part. */
const brokenKinds: ReadonlySet<KickoffFault["kind"]> = new Set([
  "syntax",
  "tooDeep",
  "notAnObject",
  "wrongType",
]);

type Choice = { readonly source: Source; readonly does: "fillIn" | "open" | "delete" };

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
    const choice = await choose(sources, crew.name);
    if (choice === undefined) return undefined;
    const { does, source } = choice;
    if (does === "fillIn" || source.own === undefined) return await source.values?.();
    if (does === "open") {
      await vscode.window.showTextDocument(source.own, { preview: false });
      return undefined;
    }
    const question = vscode.l10n.t("Delete “{0}”?", source.label);
    const detail = vscode.l10n.t("These values are removed from this machine.");
    if (await confirm(question, detail, vscode.l10n.t("Delete")))
      await vscode.workspace.fs.delete(source.own);
  }
}

async function sourcesFor(parts: FillInParts, crew: FormCrew): Promise<readonly Source[]> {
  const { crews, store, kept, consent } = parts;
  const inShort = (inputs: JsonObject = {}) => plainLabel(inputsInShort(inputs, 4).join(" · "));
  const own = (await kept.list()).flatMap(({ path, label = "", ...file }): Source[] => {
    const uri = vscode.Uri.file(path);
    if (findInFile(crews, file.crew ?? "", uri)?.id !== crew.id) return [];
    return [
      {
        label: plainLabel(valueInShort(label)),
        description: inShort(file.values.inputs),
        own: uri,
        values: async () => {
          // Else the form marks what is wrong, and nothing is too large that was saved here.
          const isBroken = file.faults.some(({ kind }) => brokenKinds.has(kind));
          return isBroken ? (await openRequest(uri, crews)).file.values : file.values;
        },
      },
    ];
  });
  const found = await vscode.workspace.findFiles(`**/*${requestFileEnding}`, undefined, 1000);
  const files = await Promise.all(
    found.map(async (uri): Promise<Source[]> => {
      const file = readRequestFile(await textOf(uri));
      if (findInFile(crews, file.crew ?? "", uri)?.id !== crew.id) return [];
      const values = async () => {
        const request = await openRequest(uri, crews);
        const isAllowed = await consent.confirm(request.crew, request.file.values);
        return isAllowed ? request.file.values : undefined;
      };
      const label = plainLabel(vscode.workspace.asRelativePath(uri));
      return [{ label, description: inShort(file.values.inputs), values }];
    }),
  );
  const executions = store
    .list()
    .filter((execution) => execution.crew.id === crew.id && execution.request !== undefined)
    .map((execution) => ({
      label: plainLabel(titleOf(execution)),
      description: new Date(execution.startedAt).toLocaleString(vscode.env.language),
      values: () => {
        const whole = store.find(execution.localId);
        return Promise.resolve(whole && defined({ ...requestOf(whole), from: undefined }));
      },
    }));
  const group = (label: string, sources: readonly Source[]): readonly Source[] =>
    sources.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...sources];
  const byLabel = (one: Source, other: Source) => one.label.localeCompare(other.label);
  return [
    ...group(vscode.l10n.t("Saved values"), own),
    ...group(vscode.l10n.t("Request files"), files.flat().sort(byLabel)),
    ...group(vscode.l10n.t("Executions"), executions),
  ];
}

/** "" if it can't be read. */
async function textOf(uri: vscode.Uri): Promise<string> {
  try {
    await checkFile(uri);
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return "";
  }
}

function choose(sources: readonly Source[], crewName: string): Promise<Choice | undefined> {
  const owned = new Disposables();
  const list = owned.add(vscode.window.createQuickPick<Source>());
  const openButton = {
    iconPath: new vscode.ThemeIcon("edit"),
    tooltip: vscode.l10n.t("Open File"),
  };
  const deleteButton = {
    iconPath: new vscode.ThemeIcon("trash"),
    tooltip: vscode.l10n.t("Delete"),
  };
  list.title = vscode.l10n.t("Fill in the form of “{0}” from", crewName);
  list.placeholder = vscode.l10n.t("Choose the values to fill in");
  list.matchOnDescription = true;
  list.items = sources.map((source) => ({
    ...source,
    ...(source.own && { buttons: [openButton, deleteButton] }),
  }));
  return new Promise((resolve) => {
    const end = (choice: Choice | undefined) => {
      resolve(choice);
      owned.dispose();
    };
    owned.add(
      list.onDidAccept(() => {
        const [source] = list.selectedItems;
        end(source && { source, does: "fillIn" });
      }),
    );
    owned.add(list.onDidHide(() => end(undefined)));
    owned.add(
      list.onDidTriggerItemButton(({ button, item: source }) =>
        end({ source, does: button === openButton ? "open" : "delete" }),
      ),
    );
    list.show();
  });
}

/** Asks for a name, and before it replaces values of that name. */
export async function saveValues(
  kept: KeptRequests,
  { id, name: crewName }: FormCrew,
  values: Prefill,
): Promise<void> {
  const [first = ""] = Object.values(values.inputs ?? {});
  const given = await vscode.window.showInputBox({
    title: vscode.l10n.t("Save the values for “{0}”", crewName),
    prompt: vscode.l10n.t(
      "Name of the values. They are saved on this machine as a request file, without secrets, and “Fill In From…” offers them.",
    ),
    value: valueInShort(first, 40).replace(/^""$/, ""),
    ignoreFocusOut: true,
    validateInput: (text) =>
      text.trim() === "" ? vscode.l10n.t("The values need a name.") : undefined,
  });
  if (given === undefined) return;
  const name = given.trim();
  const isTaken = (await kept.list()).some(({ crew, label }) => crew === id && label === name);
  const question = vscode.l10n.t("Replace “{0}”?", name);
  const detail = vscode.l10n.t("Its values are replaced by those of the form.");
  if (isTaken && !(await confirm(question, detail, vscode.l10n.t("Replace")))) return;
  await kept.save(id, name, values);
  showStatus(vscode.l10n.t("The values are saved."));
}

/** Undefined if cancelled. @throws UserError for an unusable file */
export async function takeValue(
  store: FillInParts["store"],
  crewId: string,
  input: string,
): Promise<Taken | undefined> {
  const file = {
    label: `$(file) ${vscode.l10n.t("Text File…")}`,
    description: vscode.l10n.t("{0} at most", formatSize(largestText)),
    take: takeFile,
  };
  const items = earlierValues(store, crewId, input).map(({ value, execution }) => {
    const [label, title] = [valueInShort(value), titleOf(execution)];
    return {
      label: plainLabel(label),
      description: new Date(execution.startedAt).toLocaleString(vscode.env.language),
      // Often the title is the value itself.
      ...(title !== label && { detail: plainLabel(title) }),
      take: () => Promise.resolve({ value, from: vscode.l10n.t("the execution “{0}”", title) }),
    };
  });
  const chosen = await vscode.window.showQuickPick([file, ...items], {
    title: vscode.l10n.t("Fill in “{0}” from", valueInShort(input, 40)),
    placeHolder: vscode.l10n.t("A text file, or a value of an earlier execution"),
    matchOnDetail: true,
  });
  return await chosen?.take();
}

/** Newest first, each once. */
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
  const name = file.path.split("/").at(-1) ?? "";
  try {
    const { type, size } = await vscode.workspace.fs.stat(file);
    if ((type & vscode.FileType.Directory) !== 0)
      throw new UserError(vscode.l10n.t("“{0}” is a folder.", name));
    // Reading a device would never end.
    if ((type & vscode.FileType.File) === 0)
      throw new UserError(vscode.l10n.t("“{0}” is not a regular file.", name));
    checkSize(name, size);
    const bytes = await vscode.workspace.fs.readFile(file);
    // It may have grown, and some file systems report no size.
    checkSize(name, bytes.length);
    return { text: textIn(bytes, name), from: `${name} (${formatSize(bytes.length)})` };
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(vscode.l10n.t("“{0}” can't be read: {1}", name, messageOf(error)));
  }
}

function checkSize(name: string, bytes: number): void {
  if (bytes <= largestText) return;
  const [size, largest] = [formatSize(bytes), formatSize(largestText)];
  throw new UserError(
    vscode.l10n.t("“{0}” is too large ({1}): an input takes {2} at most.", name, size, largest),
  );
}

/** UTF-8 without a byte order mark; a zero byte is no text. */
function textIn(bytes: Uint8Array, name: string): string {
  try {
    if (!bytes.includes(0)) return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Invalid UTF-8.
  }
  throw new UserError(
    vscode.l10n.t("“{0}” isn't a text file: an input takes only text in UTF-8.", name),
  );
}
