import * as vscode from "vscode";
import { NothingToDo, UserError } from "../base/errors.ts";
import { defined, type UnknownObject } from "../base/json.ts";
import { shortName } from "../base/text.ts";
import {
  booleanOf,
  isProgram,
  objectOf,
  recordOf,
  stringOf,
  targetOf,
} from "../editor/arguments.ts";
import { plainLabel } from "../editor/messages.ts";
import { canRunAgainFrom, type Execution, type ExecutionSummary } from "../executions/model.ts";
import { requestOf, RunAgain } from "../kickoff/again.ts";
import { choosePreset } from "../kickoff/presets/choose.ts";
import { chooseCrew, chooseExecution, onExecution } from "./choose.ts";
import { madeOf } from "./kickoff.ts";
import type { CommandParts, Commands, Run } from "./table.ts";
import { copyCurl, askAndSave, saveNew } from "../kickoff/export.ts";
import { isRequestFile, requestFileEnding } from "../kickoff/request-files/name.ts";
import type { Prefill } from "../kickoff/callbacks.ts";
import { taskStateLabel } from "../view/words.ts";

type RequestParts = Pick<
  CommandParts,
  "crews" | "store" | "secrets" | "sender" | "forms" | "files" | "documents"
>;

/** Those that start an execution return `{crew, kickoffId}`, `saveAsRequestFile` `{file}`. */
export function requestCommands(parts: RequestParts): Commands {
  const { crews, store, files, documents } = parts;
  const again = new RunAgain(parts);
  const wasSent = ({ request }: ExecutionSummary) => request !== undefined;
  const crewOf = ({ crew }: Execution) => crews.find(crew.id) ?? crew;
  /** @param shows whether to show a person the started execution; a form does so itself */
  const start =
    (begin: (argument: unknown) => Promise<Execution | undefined>, shows: boolean): Run =>
    async (argument) => {
      const started = await begin(argument);
      if (started !== undefined && shows && !isProgram(argument)) await documents.show(started);
      return started && madeOf(started);
    };
  const known = (argument: unknown) => chooseExecution(store, crews, argument, wasSent);
  return {
    kickoffFile: start(async (argument) => {
      const file = await chooseRequestFile(argument);
      return file && (await files.kickOff(file, { isPerson: !isProgram(argument) }));
    }, true),
    openFileInForm: start(async (argument) => {
      const file = await chooseRequestFile(argument);
      return file && (await files.openInForm(file));
    }, false),
    runAgain: start(async (argument) => {
      const execution = await known(argument);
      if (execution === undefined) return undefined;
      return booleanOf(recordOf(argument), "form") === true
        ? await again.inForm(execution)
        : await again.atOnce(execution, { asks: !isProgram(argument) });
    }, true),
    runAgainFrom: start(async (argument) => {
      const execution = await chooseExecution(store, crews, argument, canRunAgainFrom);
      if (execution === undefined) return undefined;
      const taskId = targetOf(argument).taskId ?? (await pickTask(execution));
      if (taskId === undefined) return undefined;
      const given = recordOf(argument);
      const [inputs, outputs] = [objectOf(given, "inputs"), textsOf(given, "outputs")];
      const keepChanged = booleanOf(given, "keepChanged");
      const from = { taskId, ...defined({ inputs, outputs, keepChanged }) };
      return await again.from(execution, from, { asks: !isProgram(argument) });
    }, true),
    presets: start((argument) => openPreset(parts, argument), false),
    async copyAsCurl(argument) {
      const file = requestFileIn(argument);
      if (file !== undefined) {
        await files.copyCurl(file);
        return;
      }
      const execution = await known(argument);
      return execution && copyCurl(crewOf(execution), requestOf(execution));
    },
    saveAsRequestFile: onExecution(
      parts,
      async (execution, argument) => {
        const { label } = execution;
        const crewName = crewOf(execution).name;
        const request = { crewName, values: requestOf(execution), label };
        const file =
          argument instanceof vscode.Uri ? undefined : stringOf(recordOf(argument), "file");
        const saved = await (file === undefined
          ? askAndSave(request)
          : saveNew(uriOf(file), request));
        return saved && { file: saved.toString() };
      },
      wasSent,
    ),
  };
}

async function pickTask(execution: Execution): Promise<string | undefined> {
  const items = execution.tasks.map((task) => ({
    label: plainLabel(shortName(task.taskId)),
    description: taskStateLabel(task, execution),
    taskId: task.taskId,
  }));
  const placeHolder = vscode.l10n.t("From which task?");
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.taskId;
}

/** @throws UserError unless the member is an object of strings */
function textsOf(given: UnknownObject, name: string): Readonly<Record<string, string>> | undefined {
  const texts = Object.entries(objectOf(given, name) ?? {}).map(
    ([key, value]): [string, string] => {
      if (typeof value === "string") return [key, value];
      throw new UserError(vscode.l10n.t("“{0}” must be an object of strings.", name));
    },
  );
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}

async function openPreset(
  { crews, forms }: RequestParts,
  argument: unknown,
): Promise<Execution | undefined> {
  const presets = await forms.presets();
  const crew = await chooseCrew(crews, argument);
  if (crew === undefined) return undefined;
  const list = presets.list(crew.id);
  const form = { crew: crew.id, form: true };
  if (list.length === 0)
    throw new NothingToDo(
      vscode.l10n.t(
        "“{0}” has no presets yet. Fill in its form and choose “Presets…” there to save one.",
        crew.name,
      ),
      [{ title: vscode.l10n.t("Open Form"), command: "crewdeck.kickoff", arguments: [form] }],
    );
  const name = stringOf(recordOf(argument), "name");
  const values: Prefill | undefined =
    name === undefined
      ? await choosePreset({ presets, crew })
      : list.find((preset) => preset.name === name)?.values;
  if (values !== undefined)
    return await forms.open(await crews.ready(crew), values, { replaces: true });
  if (name === undefined) return undefined;
  const names = list.map((preset) => preset.name).join(", ");
  throw new UserError(
    vscode.l10n.t("“{0}” has no preset “{1}”. Its presets: {2}.", crew.name, name, names),
  );
}

/** Named (a URI, or an object with `file`), else active. */
function requestFileIn(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) return isRequestFile(argument) ? argument : undefined;
  const file = stringOf(recordOf(argument), "file");
  if (file !== undefined) return uriOf(file);
  const active = vscode.window.activeTextEditor?.document.uri;
  return argument === undefined && active && isRequestFile(active) ? active : undefined;
}

/** Named, else active, else chosen in the workspace. @throws NothingToDo if there is none */
async function chooseRequestFile(argument: unknown): Promise<vscode.Uri | undefined> {
  const named = requestFileIn(argument);
  if (named !== undefined) return named;
  if (argument instanceof vscode.Uri)
    throw new UserError(vscode.l10n.t("A request file's name ends with {0}.", requestFileEnding));
  const files = await vscode.workspace.findFiles(`**/*${requestFileEnding}`, undefined, 1000);
  if (files.length === 0)
    throw new NothingToDo(
      vscode.l10n.t(
        "This workspace has no request file (*{0}) yet. Save one from a form or an execution.",
        requestFileEnding,
      ),
    );
  const items = files
    .map((file) => ({ label: plainLabel(vscode.workspace.asRelativePath(file)), file }))
    .sort((one, other) => one.label.localeCompare(other.label));
  const placeHolder = vscode.l10n.t("Which request file?");
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.file;
}

/** @param file a URI, an absolute path, or a path in the first workspace folder */
function uriOf(file: string): vscode.Uri {
  if (/^[a-z][a-z0-9+.-]+:/i.test(file)) return vscode.Uri.parse(file, true);
  if (file.startsWith("/") || /^[a-z]:[\\/]/i.test(file)) return vscode.Uri.file(file);
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder !== undefined) return vscode.Uri.joinPath(folder.uri, file);
  throw new UserError(
    vscode.l10n.t("“{0}” must be an absolute path, because no folder is open.", "file"),
  );
}
