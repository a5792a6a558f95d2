import path from "node:path";
import * as vscode from "vscode";
import { messageOf } from "../editor/errors.ts";
import { plainLabel, plainMessage } from "../editor/plain.ts";
import { ProjectError, type CrewProject } from "../projects/types.ts";
import type { Folders } from "./folders.ts";
import { exampleFolder } from "./known-crews.ts";
import { placeOf } from "./problems.ts";
import { findProjects, readProject } from "./projects.ts";

interface ProjectItem extends vscode.QuickPickItem {
  /** The name its folder is known by; absent for "Choose a folder…". */
  readonly folder?: string;
  readonly error?: unknown;
}

/**
 * Asks which crew to serve on this machine: the projects of the workspace, the example, or a folder of the person's choice.
 * A broken project is opened at the place that is wrong, and nothing is returned then.
 * @returns the name the folder is known by
 */
export async function pickProject(folders: Folders): Promise<string | undefined> {
  const chosen = await vscode.window.showQuickPick(items(folders), {
    title: vscode.l10n.t("Start a Local Crew (Rehearsal)"),
    placeHolder: vscode.l10n.t("Which crew? Order, pauses and callbacks are real; no language model is called"),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (chosen === undefined) return undefined;
  if (chosen.folder === undefined) return await browse(folders);
  if (chosen.error === undefined) return chosen.folder;
  await showProblem(chosen.error, folders.uriOf(chosen.folder));
  return undefined;
}

async function items(folders: Folders): Promise<ProjectItem[]> {
  const roots = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  const found = (await Promise.all(roots.map(async ({ uri }) => await findProjects(uri.fsPath)))).flat();
  const names = [...new Set([...found.map((folder) => folders.nameOf(folder)), exampleFolder])];
  const projects = await Promise.all(names.map(async (name) => await itemFor(name, folders)));
  return [...projects, { label: vscode.l10n.t("$(folder-opened) Choose a folder…"), alwaysShow: true }];
}

async function itemFor(folder: string, folders: Folders): Promise<ProjectItem> {
  const uri = folders.uriOf(folder);
  const isExample = folder === exampleFolder;
  const description = isExample ? vscode.l10n.t("comes with Crewdeck") : plainLabel(vscode.workspace.asRelativePath(uri));
  try {
    const project = await readProject(uri.fsPath);
    return { label: `$(${isExample ? "mortar-board" : "folder"}) ${plainLabel(project.name)}`, description, detail: plainLabel(summary(project)), folder };
  } catch (error) {
    return { label: `$(error) ${plainLabel(path.basename(uri.fsPath))}`, description, detail: plainLabel(messageOf(error)), folder, error };
  }
}

function summary({ tasks, inputs }: CrewProject): string {
  const pauses = tasks.filter(({ humanInput }) => humanInput).length;
  const count = tasks.length === 1 ? vscode.l10n.t("1 task") : vscode.l10n.t("{0} tasks", tasks.length);
  const waits = pauses === 1 ? vscode.l10n.t("1 waits for you") : vscode.l10n.t("{0} wait for you", pauses);
  const asks = inputs.length === 0 ? vscode.l10n.t("no inputs") : vscode.l10n.t("inputs: {0}", inputs.join(", "));
  return [count, ...(pauses === 0 ? [] : [waits]), asks].join(" · ");
}

async function browse(folders: Folders): Promise<string | undefined> {
  const [folder] =
    (await vscode.window.showOpenDialog({ canSelectFolders: true, canSelectFiles: false, openLabel: vscode.l10n.t("Serve This Crew"), title: vscode.l10n.t("Folder of a crewAI Project") })) ?? [];
  return folder && folders.nameOf(folder.toString());
}

async function showProblem(error: unknown, folder: vscode.Uri): Promise<void> {
  const place = error instanceof ProjectError ? placeOf(error, folder) : undefined;
  // Not awaited: it may stay as long as it likes.
  void vscode.window.showErrorMessage(plainMessage(messageOf(error)));
  if (place) await vscode.commands.executeCommand("vscode.open", place.file, place.options);
}
