import path from "node:path";
import * as vscode from "vscode";
import { NothingToDo, UserError } from "../base/errors.ts";
import { defined, laidOutJson } from "../base/json.ts";
import type { Crews } from "../crews/crews.ts";
import { flag, json, read, text, texts } from "../editor/arguments.ts";
import { plainLabel } from "../editor/messages.ts";
import { canRunAgainFrom, type Execution } from "../executions/model.ts";
import { requestOf, runAgain, runAgainInForm, type RunAgainParts } from "../kickoff/again.ts";
import {
  copyCurl,
  freeUri,
  openRequest,
  openUnsaved,
  saveNew,
} from "../kickoff/request-files/files.ts";
import type { KickoffRoom } from "../kickoff/register.ts";
import {
  isRequestFile,
  requestFileEnding,
  suggestFileName,
} from "../kickoff/request-files/name.ts";
import { projectRoot } from "../projects/pyproject.ts";
import { taskBrief } from "../view/brief.ts";
import type { Asker } from "./asker.ts";
import { firstTest } from "./execution-data.ts";
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

export interface TestParts {
  readonly targets: Targets;
  readonly crews: Pick<Crews, "client" | "ready">;
}

/** Writes a test with its recording into the folder `tests` of the crew's project, and returns its URI. A person gets it opened. */
export function saveAsTestVerb({ targets, crews }: TestParts) {
  return targets.onExecution(
    async (execution, _argument, { isPerson }: Asker) => {
      const { local } = await crews.ready(execution.crew);
      const folder = vscode.Uri.parse(local?.folder ?? "");
      if (folder.scheme !== "file")
        throw new UserError(
          vscode.l10n.t(
            "Nothing is saved for “{0}”, because each update of Crewdeck replaces its folder. Serve a project of your own.",
            execution.crew.name,
          ),
        );
      const client = await crews.client(execution.crew);
      const recording = await client.recording(execution.kickoffIds.at(-1) ?? "");
      const tests = path.join(await projectRoot(folder.fsPath), "tests");
      const crew = crewIn(tests, folder.fsPath, local?.crewClass);
      const text = laidOutJson(defined({ crew, ...firstTest(execution, recording) }));
      const test = await freeUri(vscode.Uri.file(tests), nameFor(execution));
      const write = (ending: string, content: string) =>
        vscode.workspace.fs.writeFile(
          test.with({ path: test.path.replace(requestFileEnding, ending) }),
          new TextEncoder().encode(content),
        );
      await write(".recording.jsonl", recording);
      await write(requestFileEnding, `${text}\n`);
      if (isPerson) await vscode.window.showTextDocument(test, { preview: false });
      return test.toString();
    },
    ["saveAsTest"],
  );
}

/** Undefined if it is the only crew of the project. */
function crewIn(tests: string, folder: string, crewClass: string | undefined): string | undefined {
  const steps = path.relative(tests, folder).replaceAll(path.sep, "/");
  if (crewClass !== undefined) return `${steps}#${crewClass}`;
  return steps === ".." ? undefined : steps;
}

function nameFor({ crew, label, request }: Execution): string {
  const named = label === undefined ? (request?.inputs ?? {}) : { label };
  return suggestFileName(Object.keys(named).length > 0 ? "" : crew.name, named);
}
