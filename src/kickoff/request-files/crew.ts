import path from "node:path";
import * as vscode from "vscode";
import type { Crews } from "../../crews/crews.ts";
import type { Crew } from "../../crews/types.ts";
import { isLocalCrew, type CrewRef } from "../../executions/model.ts";

/**
 * How a request file names a crew so that a colleague's Crewdeck finds it: a crew of the workspace by its project's
 * folder, as seen from the file, and any other by its name.
 */
export function crewInFile({ id, name }: Pick<CrewRef, "id" | "name">, file: vscode.Uri): string {
  if (!isLocalCrew({ id })) return name;
  // The class follows "#".
  const project = vscode.Uri.parse(id.slice("local:".length));
  const workspace = vscode.workspace.getWorkspaceFolder(project)?.uri.path;
  if (workspace === undefined || !file.path.startsWith(`${workspace.replace(/\/$/, "")}/`))
    return name;
  const relative = path.posix.relative(path.posix.dirname(file.path), project.path);
  const folder = relative.startsWith("..") ? relative : `./${relative}`;
  return project.fragment === "" ? folder : `${folder}#${project.fragment}`;
}

/** The project's folder that a file names a local crew by, and its class. */
export function folderInFile(crew: string, file: vscode.Uri) {
  if (!/^\.\.?(?:[/#]|$)/.test(crew)) return undefined;
  const [steps = "", crewClass] = crew.split("#");
  const folder = path.posix.join(path.posix.dirname(file.path), steps).replace(/(.)\/$/, "$1");
  // A file that isn't saved yet has the path at which it will be.
  const scheme =
    file.scheme === "untitled"
      ? (vscode.workspace.workspaceFolders?.[0]?.uri.scheme ?? "file")
      : file.scheme;
  return { folder: file.with({ scheme, path: folder, query: "", fragment: "" }), crewClass };
}

export function findInFile(
  crews: Pick<Crews, "find">,
  crew: string,
  file: vscode.Uri,
): Crew | undefined {
  const named = folderInFile(crew, file);
  if (named === undefined) return crews.find(crew);
  const { folder, crewClass } = named;
  return crews.find(`local:${folder.toString()}${crewClass === undefined ? "" : `#${crewClass}`}`);
}
