import * as vscode from "vscode";
import { NothingToDo, UserError } from "../base/errors.ts";
import type { Crews } from "../crews/crews.ts";
import { flag, json, read, text, texts } from "../editor/arguments.ts";
import { plainLabel } from "../editor/messages.ts";
import { canRunAgainFrom, type Execution } from "../executions/model.ts";
import { requestOf, runAgain, runAgainInForm, type RunAgainParts } from "../kickoff/again.ts";
import { copyCurl, openRequest, openUnsaved, saveNew } from "../kickoff/request-files/files.ts";
import type { KickoffRoom } from "../kickoff/register.ts";
import { isRequestFile, requestFileEnding } from "../kickoff/request-files/name.ts";
import { taskBrief } from "../view/brief.ts";
import type { Asker } from "./asker.ts";
import { namesOf, type Targets } from "./targets.ts";

export interface RequestParts extends RunAgainParts {
  readonly targets: Targets;
  readonly crews: Pick<Crews, "connected" | "find" | "get" | "ready">;
  readonly files: Pick<KickoffRoom["files"], "kickOff" | "openInForm">;
}

const fromMembers = { taskId: text, inputs: json, outputs: texts, keepChanged: flag };

export function requestVerbs(parts: RequestParts) {
  const { targets, files, crews } = parts;
  return {
    async kickoffFile(argument: unknown, { isPerson }: Asker) {
      const file = requestFileIn(argument);
      if (file === undefined)
        throw new NothingToDo(
          vscode.l10n.t("Open a request file first: its name ends with {0}.", requestFileEnding),
        );
      return named(
        wantsForm(argument) ? files.openInForm(file) : files.kickOff(file, { isPerson }),
      );
    },
    runAgain: targets.onExecution(
      (execution, argument, { isPerson: asks }) =>
        named(
          wantsForm(argument)
            ? runAgainInForm(parts, execution)
            : runAgain(parts, execution, { asks }),
        ),
      ["runAgain"],
    ),
    runAgainFrom: targets.onExecution(async (execution, argument, { isPerson: asks }) => {
      const { taskId = await pickTask(execution), ...given } = read(fromMembers, argument);
      if (taskId === undefined) return undefined;
      return await named(runAgain(parts, execution, { asks, from: { ...given, taskId } }));
    }, canRunAgainFrom),
    async copyAsCurl(argument: unknown) {
      const file = requestFileIn(argument);
      if (file !== undefined) {
        const request = await openRequest(file, crews);
        await copyCurl(request.crew, request.file.values);
        return;
      }
      const execution = await targets.execution(argument, ({ request }) => request !== undefined);
      if (execution === undefined) return;
      const { crew } = execution;
      await copyCurl(crews.find(crew.id) ?? crew, requestOf(execution));
    },
  };
}

async function named(starting: Promise<Execution | undefined>) {
  const started = await starting;
  return started && namesOf(started);
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

function wantsForm(argument: unknown): boolean {
  return read({ form: flag }, argument).form === true;
}

async function pickTask(execution: Execution): Promise<string | undefined> {
  const items = execution.tasks.map((task) => {
    const { taskId, name, label } = taskBrief(task, execution);
    return { label: plainLabel(name), description: label, taskId };
  });
  const placeHolder = vscode.l10n.t("From which task?");
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.taskId;
}

function requestFileIn(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) return isRequestFile(argument) ? argument : undefined;
  const { file } = read({ file: text }, argument);
  if (file !== undefined) return uriOf(file);
  const active = vscode.window.activeTextEditor?.document.uri;
  return argument === undefined && active && isRequestFile(active) ? active : undefined;
}

/** @param file a URI, an absolute path, or a path in the first workspace folder */
export function uriOf(file: string, name = "file"): vscode.Uri {
  if (/^[a-z][a-z0-9+.-]+:/i.test(file)) return vscode.Uri.parse(file, true);
  if (file.startsWith("/") || /^[a-z]:[\\/]/i.test(file)) return vscode.Uri.file(file);
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder !== undefined) return vscode.Uri.joinPath(folder.uri, file);
  throw new UserError(
    vscode.l10n.t("“{0}” must be an absolute path, because no folder is open.", name),
  );
}
