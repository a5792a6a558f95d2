import * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import { setContext } from "../editor/context.ts";
import { logProblem } from "../editor/log.ts";
import { findProjects } from "./projects.ts";

/** The folders of the crew projects in the workspace, as far as they are on this machine. */
export async function workspaceProjects(): Promise<readonly string[]> {
  const roots = (vscode.workspace.workspaceFolders ?? []).filter(
    ({ uri }) => uri.scheme === "file",
  );
  return (await Promise.all(roots.map(async ({ uri }) => await findProjects(uri.fsPath)))).flat();
}

/**
 * Says by a context key whether the workspace has a crew project, which the empty view then offers to serve. It looks only while that
 * view is seen and no crew is connected: other windows need no search.
 * @param opened settles when what is kept has been read: before that nobody can say that there is no crew
 */
export function watchProjects(
  view: Pick<vscode.TreeView<unknown>, "visible" | "onDidChangeVisibility">,
  crews: Pick<Crews, "list" | "onDidChange">,
  opened: Promise<unknown>,
): vscode.Disposable {
  const look = async () => {
    await opened;
    if (view.visible && crews.list().length === 0)
      setContext("crewdeck.hasProject", (await workspaceProjects()).length > 0);
  };
  const tryToLook = () => {
    look().catch((error: unknown) => logProblem("Looking for crew projects", error));
  };
  tryToLook();
  return vscode.Disposable.from(
    view.onDidChangeVisibility(tryToLook),
    crews.onDidChange(tryToLook),
    vscode.workspace.onDidChangeWorkspaceFolders(tryToLook),
  );
}
