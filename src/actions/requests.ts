import * as vscode from "vscode";
import { NothingToDo, UserError } from "../base/errors.ts";
import { shortName } from "../base/text.ts";
import type { Crews } from "../crews/crews.ts";
import { flag, json, read, text, texts } from "../editor/arguments.ts";
import { plainLabel } from "../editor/messages.ts";
import { canRunAgainFrom, type Execution, type ExecutionSummary } from "../executions/model.ts";
import { requestOf, RunAgain, type RunAgainOptions } from "../kickoff/again.ts";
import { may } from "../view/actions.ts";
import { chooseExecution, namesOf } from "./choose.ts";
import type { CommandParts, Commands, Run } from "./commands.ts";
import { copyCurl, openUnsaved, saveNew } from "../kickoff/export.ts";
import { isRequestFile, requestFileEnding } from "../kickoff/request-files/name.ts";
import { taskStateLabel } from "../view/words.ts";

interface RequestParts extends RunAgainOptions, Pick<CommandParts, "store"> {
  readonly files: Pick<CommandParts["files"], "copyCurl" | "kickOff" | "openInForm">;
}

/** Those that start an execution return `{crew, kickoffId}`. */
export function requestCommands(parts: RequestParts): Commands {
  const { crews, store, files } = parts;
  const again = new RunAgain(parts);
  const crewOf = ({ crew }: Execution) => crews.find(crew.id) ?? crew;
  const start =
    (begin: (argument: unknown, asks: boolean) => Promise<Execution | undefined>): Run =>
    async (argument, by) => {
      const started = await begin(argument, by.isPerson);
      return started && namesOf(started);
    };
  return {
    kickoffFile: start(async (argument, isPerson) => {
      const file = requestFileIn(argument);
      if (file === undefined)
        throw new NothingToDo(
          vscode.l10n.t("Open a request file first: its name ends with {0}.", requestFileEnding),
        );
      return wantsForm(argument)
        ? await files.openInForm(file)
        : await files.kickOff(file, { isPerson });
    }),
    runAgain: start(async (argument, asks) => {
      const execution = await chooseExecution(store, crews, argument, (each) =>
        may(each, "runAgain"),
      );
      if (execution === undefined) return undefined;
      return wantsForm(argument)
        ? await again.inForm(execution)
        : await again.atOnce(execution, { asks });
    }),
    runAgainFrom: start(async (argument, asks) => {
      const execution = await chooseExecution(store, crews, argument, canRunAgainFrom);
      if (execution === undefined) return undefined;
      const { taskId = await pickTask(execution), ...given } = read(fromMembers, argument);
      if (taskId === undefined) return undefined;
      return await again.from(execution, { ...given, taskId }, { asks });
    }),
    async copyAsCurl(argument) {
      const file = requestFileIn(argument);
      if (file !== undefined) {
        await files.copyCurl(file);
        return;
      }
      const wasSent = ({ request }: ExecutionSummary) => request !== undefined;
      const execution = await chooseExecution(store, crews, argument, wasSent);
      return execution && copyCurl(crewOf(execution), requestOf(execution));
    },
  };
}

/** @param file as in {@link uriOf}; without it, an editor opens that a person can save. @returns its URI */
export async function saveAsRequestFile(
  crews: Pick<Crews, "find">,
  execution: Execution,
  file: string | undefined,
): Promise<string> {
  const { crew, label } = execution;
  const request = { crew: crews.find(crew.id) ?? crew, values: requestOf(execution), label };
  const saved = await (file === undefined ? openUnsaved(request) : saveNew(uriOf(file), request));
  return saved.toString();
}

const fromMembers = {
  taskId: text,
  inputs: json,
  outputs: texts,
  keepChanged: flag,
};

function wantsForm(argument: unknown): boolean {
  return read({ form: flag }, argument).form === true;
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

/** Named (a URI, or an object with `file`), else active. */
function requestFileIn(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) return isRequestFile(argument) ? argument : undefined;
  const { file } = read({ file: text }, argument);
  if (file !== undefined) return uriOf(file);
  const active = vscode.window.activeTextEditor?.document.uri;
  return argument === undefined && active && isRequestFile(active) ? active : undefined;
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
