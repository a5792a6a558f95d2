import path from "node:path";
import * as vscode from "vscode";
import type { Crew } from "../crews/types.ts";
import { messageOf } from "../base/errors.ts";
import { plainLabel, plainMessage } from "../editor/messages.ts";
import { ProjectError, type CrewProject } from "../projects/types.ts";
import type { Folders } from "./folders.ts";
import { exampleFolder } from "./known-crews.ts";
import { placeOf } from "./problems.ts";
import { readProject } from "./projects.ts";
import { workspaceProjects } from "./workspace-projects.ts";

interface ProjectItem extends vscode.QuickPickItem {
  /** The name its folder is known by; absent for "Choose a folder…". */
  readonly folder?: string;
  readonly error?: unknown;
}

/**
 * Asks which crew to serve on this machine: the projects of the workspace, those that were served before, the example, or a folder of
 * the person's choice; each says whether it runs, is stopped or is new. A broken project is opened at the place that is wrong, and nothing is returned then.
 * @param known the local crews, running or not
 * @returns the name the folder is known by
 */
export async function pickProject(
  folders: Folders,
  known: readonly Crew[],
): Promise<string | undefined> {
  const chosen = await vscode.window.showQuickPick(items(folders, known), {
    title: vscode.l10n.t("Start a Local Crew (Rehearsal)"),
    placeHolder: vscode.l10n.t(
      "Which crew? Order, pauses and callbacks are real; no language model is called",
    ),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (chosen === undefined) return undefined;
  if (chosen.folder === undefined) return await browse(folders);
  if (chosen.error === undefined) return chosen.folder;
  await showProblem(chosen.error, folders.uriOf(chosen.folder));
  return undefined;
}

async function items(folders: Folders, known: readonly Crew[]): Promise<ProjectItem[]> {
  const found = await workspaceProjects();
  const locals = new Map(
    known.flatMap(({ local }) =>
      local === undefined ? [] : [[folders.nameOf(local.folder), local] as const],
    ),
  );
  const names = [
    ...new Set([
      ...found.map((folder) => folders.nameOf(folder)),
      ...[...locals.keys()].filter((name) => name !== exampleFolder),
      exampleFolder,
    ]),
  ];
  const projects = await Promise.all(
    names.map(async (name) => await itemFor(name, folders, standing(locals.get(name)))),
  );
  return [
    ...projects,
    { label: vscode.l10n.t("$(folder-opened) Choose a folder…"), alwaysShow: true },
  ];
}

/** Where a local crew stands, in a word; one that was never served here is new. */
function standing(local: Crew["local"]): string {
  if (local === undefined) return vscode.l10n.t("new");
  return local.running ? vscode.l10n.t("running") : vscode.l10n.t("stopped");
}

async function itemFor(folder: string, folders: Folders, state: string): Promise<ProjectItem> {
  const uri = folders.uriOf(folder);
  const isExample = folder === exampleFolder;
  const where = isExample
    ? vscode.l10n.t("comes with Crewdeck")
    : plainLabel(vscode.workspace.asRelativePath(uri));
  try {
    const project = await readProject(uri.fsPath);
    return {
      label: `$(${isExample ? "mortar-board" : "folder"}) ${plainLabel(project.name)}`,
      description: `${state} · ${where}`,
      detail: plainLabel(summary(project)),
      folder,
    };
  } catch (error) {
    return {
      label: `$(error) ${plainLabel(path.basename(uri.fsPath))}`,
      description: where,
      detail: plainLabel(messageOf(error)),
      folder,
      error,
    };
  }
}

function summary({ tasks, inputs }: CrewProject): string {
  const pauses = tasks.filter(({ humanInput }) => humanInput).length;
  const count =
    tasks.length === 1 ? vscode.l10n.t("1 task") : vscode.l10n.t("{0} tasks", tasks.length);
  const waits =
    pauses === 1 ? vscode.l10n.t("1 waits for you") : vscode.l10n.t("{0} wait for you", pauses);
  const asks =
    inputs.length === 0
      ? vscode.l10n.t("no inputs")
      : vscode.l10n.t("inputs: {0}", inputs.join(", "));
  return [count, ...(pauses === 0 ? [] : [waits]), asks].join(" · ");
}

async function browse(folders: Folders): Promise<string | undefined> {
  const [folder] =
    (await vscode.window.showOpenDialog({
      canSelectFolders: true,
      canSelectFiles: false,
      openLabel: vscode.l10n.t("Serve This Crew"),
      title: vscode.l10n.t("Folder of a crewAI Project"),
    })) ?? [];
  return folder && folders.nameOf(folder.toString());
}

async function showProblem(error: unknown, folder: vscode.Uri): Promise<void> {
  const place = error instanceof ProjectError ? placeOf(error, folder) : undefined;
  // Not awaited: it may stay as long as it likes.
  void vscode.window.showErrorMessage(plainMessage(messageOf(error)));
  if (place) await vscode.commands.executeCommand("vscode.open", place.file, place.options);
}
