import * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import { setContext } from "../editor/context.ts";
import { logProblem } from "../editor/log.ts";
import { findProjects } from "./projects.ts";

/** The folders of the crew projects in the workspace, as far as they are on this machine. */
export async function workspaceProjects(): Promise<readonly string[]> {
  const roots = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  return (await Promise.all(roots.map(async ({ uri }) => await findProjects(uri.fsPath)))).flat();
}

/**
 * Says by a context key whether the workspace has a crew project, which the empty view then offers to serve. It looks only while that
 * view is seen and no crew is connected: other windows need no search.
 */
export function watchProjects(view: Pick<vscode.TreeView<unknown>, "visible" | "onDidChangeVisibility">, crews: Pick<Crews, "list" | "onDidChange">): vscode.Disposable {
  const look = () => {
    if (!view.visible || crews.list().length > 0) return;
    workspaceProjects().then(
      (found) => setContext("crewdeck.hasProject", found.length > 0),
      (error: unknown) => logProblem("Looking for crew projects", error),
    );
  };
  look();
  return vscode.Disposable.from(view.onDidChangeVisibility(look), crews.onDidChange(look), vscode.workspace.onDidChangeWorkspaceFolders(look));
}
