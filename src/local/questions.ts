import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as vscode from "vscode";
import { messageOf } from "../base/errors.ts";
import { showLocalLogAction } from "../crews/errors.ts";
import type { Crews } from "../crews/crews.ts";
import type { Crew } from "../crews/types.ts";
import { defined } from "../base/json.ts";
import { shortened } from "../base/text.ts";
import { confirm, plainLabel, plainMessage, runAction } from "../editor/messages.ts";
import { readClasses, readProject, unserved, workspaceProjects, type Folders } from "./projects.ts";
import type { Connection } from "./connection.ts";
import type { LocalProject } from "./local-project.ts";
import { exampleFolder } from "./records.ts";

interface Chosen {
  readonly folder: string;
  readonly crewClass?: string;
}

interface ProjectItem extends vscode.QuickPickItem {
  readonly crew?: Chosen;
}

export async function pickProject(folders: Folders, known: readonly Crew[]) {
  const chosen = await vscode.window.showQuickPick(items(folders, known), {
    title: vscode.l10n.t("Serve a Crew"),
    placeHolder: vscode.l10n.t(
      "Which crew? It runs with crewAI where that is installed for it, and is rehearsed otherwise",
    ),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (chosen === undefined) return undefined;
  return chosen.crew ?? (await browse(folders));
}

/** What "+" adds: the folder of a project that isn't served, or "" for a deployed crew. Undefined if cancelled. */
export async function pickAddition(crews: Pick<Crews, "list">): Promise<string | undefined> {
  const folders = unserved(await workspaceProjects(), crews);
  if (folders.length === 0) return "";
  const projects = folders.map((folder) => ({
    label: `$(folder) ${plainLabel(path.basename(vscode.Uri.parse(folder).fsPath))}`,
    description: vscode.l10n.t("in this workspace: serve it on this machine"),
    folder,
  }));
  const deployed = { label: vscode.l10n.t("$(organization) A deployed crew…"), folder: "" };
  const options = { title: vscode.l10n.t("Add a Crew") };
  return (await vscode.window.showQuickPick([...projects, deployed], options))?.folder;
}

async function items(folders: Folders, known: readonly Crew[]): Promise<ProjectItem[]> {
  const found = (await workspaceProjects()).map((folder) => folders.nameOf(folder));
  const locals = new Map<string, Crew["local"]>();
  for (const { local } of known)
    if (local !== undefined) locals.set(folders.nameOf(local.folder), local);
  const names = new Set([...found, ...locals.keys()]);
  names.delete(exampleFolder);
  const projects = await Promise.all(
    [...names, exampleFolder].map(async (folder) => {
      const uri = folders.uriOf(folder);
      const crews = (await readClasses(uri.fsPath)).map((of) => defined({ folder, crewClass: of }));
      return await Promise.all(crews.map((crew) => itemFor(crew, uri, locals.get(folder))));
    }),
  );
  const browsing = vscode.l10n.t("$(folder-opened) Choose a folder…");
  return [...projects.flat(), { label: browsing, alwaysShow: true }];
}

async function itemFor(crew: Chosen, uri: vscode.Uri, local: Crew["local"]): Promise<ProjectItem> {
  const { folder, crewClass } = crew;
  const isExample = folder === exampleFolder;
  const where = isExample
    ? vscode.l10n.t("comes with Crewdeck")
    : plainLabel(vscode.workspace.asRelativePath(uri));
  const running = local?.running === true ? `${vscode.l10n.t("running")} · ` : "";
  try {
    const { name, tasks } = (await readProject(uri.fsPath, crewClass)).project;
    const label = `$(${isExample ? "mortar-board" : "folder"}) ${plainLabel(crewClass ?? name)}`;
    const detail = plainLabel(tasks.map(({ id }) => id).join(", "));
    return { label, description: running + where, detail, crew };
  } catch (error) {
    const label = `$(error) ${plainLabel(path.basename(uri.fsPath))}`;
    return { label, description: where, detail: plainLabel(messageOf(error)), crew };
  }
}

async function browse(folders: Folders): Promise<Chosen | undefined> {
  const [folder] =
    (await vscode.window.showOpenDialog({
      canSelectFolders: true,
      canSelectFiles: false,
      openLabel: vscode.l10n.t("Serve This Crew"),
      title: vscode.l10n.t("Folder of a crewAI Project"),
    })) ?? [];
  return folder && { folder: folders.nameOf(folder.toString()) };
}

export async function pickClass(crews: readonly Crew[]): Promise<Crew | undefined> {
  const items = crews.map((crew) => ({
    label: plainLabel(crew.local?.crewClass ?? crew.name),
    description: crew.url,
    crew,
  }));
  const placeHolder = vscode.l10n.t("Which of the project's crews?");
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.crew;
}

export async function reportEnd(name: string): Promise<boolean> {
  const again = vscode.l10n.t("Start Again");
  const log = showLocalLogAction();
  const message = vscode.l10n.t(
    "The local crew “{0}” ended unexpectedly. Its executions are kept.",
    name,
  );
  const chosen = await vscode.window.showErrorMessage(plainMessage(message), again, log.title);
  if (chosen === log.title) await runAction(log);
  return chosen === again;
}

/** How long a service that starts is given to stop what it was started for (ms). */
const settleMs = 2_000;

/** Asks nothing about what is stopped or decided meanwhile. @param titleOf undefined if unknown */
export async function reportInterrupted(
  project: Pick<LocalProject, "name" | "decide"> & {
    readonly connection: Pick<Connection, "held"> | undefined;
  },
  titleOf: (kickoffId: string) => string | undefined,
): Promise<void> {
  await delay(settleMs);
  const held = project.connection?.held ?? [];
  if (held.length === 0) return;
  const [proceed, discard] = [vscode.l10n.t("Continue"), vscode.l10n.t("Discard")];
  const titles = held.flatMap((id) => titleOf(id) ?? []);
  const text = vscode.l10n.t(
    "A restart interrupted executions of “{0}”. Continuing repeats what was interrupted, which can cost money: {1}",
    project.name,
    titles.length === held.length ? titles.join(", ") : held.length,
  );
  const later = vscode.l10n.t("Decide Later");
  const shown = plainMessage(shortened(text, 500));
  const chosen = await vscode.window.showWarningMessage(shown, proceed, discard, later);
  // VS Code can't withdraw the message: others may have been interrupted when it is answered.
  if (chosen === proceed) await project.decide("continue", held);
  if (chosen === discard && (await confirmDiscard(project.name, held.length)))
    await project.decide("discard", held);
}

export async function confirmDiscard(name: string, count: number): Promise<boolean> {
  return await confirm(
    vscode.l10n.t("Discard what was interrupted of “{0}”?", name),
    vscode.l10n.t("Executions that end here: {0}. The outputs of their tasks are kept.", count),
    vscode.l10n.t("Discard"),
  );
}
