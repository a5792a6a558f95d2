import path from "node:path";
import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import type { Crews } from "../crews/crews.ts";
import { setContext, viewId } from "../editor/manifest.ts";
import { logged } from "../editor/log.ts";
import type { ProjectReading } from "../projects/types.ts";
import { exampleFolder } from "./records.ts";

export class Folders {
  readonly #example: vscode.Uri;

  /** @param copy of the example crew, which `npm start` makes */
  constructor(extension: vscode.Uri, copy: string | undefined) {
    this.#example =
      copy === undefined || copy === ""
        ? vscode.Uri.joinPath(extension, "media", "example-crew")
        : vscode.Uri.file(copy);
  }

  /** @param text a URI or a path. @throws UserError for a folder on another machine */
  nameOf(text: string): string {
    if (text === exampleFolder) return text;
    const folder = /^[a-z][a-z0-9+.-]+:/i.test(text)
      ? vscode.Uri.parse(text, true)
      : vscode.Uri.file(text);
    if (folder.scheme !== "file" || !path.isAbsolute(text.replace(/^file:/i, "")))
      throw new UserError(
        vscode.l10n.t("{0} is not the absolute path of a folder on this machine.", text),
      );
    // Without "..", and without a slash at the end.
    const tidy = vscode.Uri.file(path.resolve(folder.fsPath));
    return tidy.fsPath === this.#example.fsPath ? exampleFolder : tidy.toString();
  }

  uriOf(name: string): vscode.Uri {
    return name === exampleFolder ? this.#example : vscode.Uri.parse(name, true);
  }
}

/** Loads the parsers, half of the extension's code, with the first project. @throws ProjectError */
export async function readProject(folder: string, crewClass?: string): Promise<ProjectReading> {
  return await (await import("../projects/read.ts")).readProject(folder, crewClass);
}

/** The classes of a folder with several crews; undefined for the only one, also of a folder that can't be read. */
export async function readClasses(folder: string): Promise<readonly (string | undefined)[]> {
  const classes = await (await import("../projects/read.ts")).crewClasses(folder).catch(() => []);
  return classes.length > 0 ? classes : [undefined];
}

export async function workspaceProjects(): Promise<readonly string[]> {
  const roots = (vscode.workspace.workspaceFolders ?? []).filter(
    ({ uri }) => uri.scheme === "file",
  );
  if (roots.length === 0) return [];
  const { findProjects } = await import("../projects/find.ts");
  return (await Promise.all(roots.map(({ uri }) => findProjects(uri.fsPath)))).flat();
}

/** As URIs. What is inside another project, such as a flow's crews, is not one of them. */
export function unserved(projects: readonly string[], crews: Pick<Crews, "list">) {
  const served = new Set(crews.list().map(({ local }) => local?.folder));
  return projects
    .filter((folder) => !projects.some((other) => folder.startsWith(other + path.sep)))
    .map((folder) => vscode.Uri.file(folder).toString())
    .filter((folder) => !served.has(folder));
}

export function watchProjects(
  tree: {
    readonly view: Pick<vscode.TreeView<unknown>, "visible" | "onDidChangeVisibility">;
    unserved: readonly string[];
  },
  crews: Pick<Crews, "list" | "onDidChange">,
  opened: Promise<unknown>,
): vscode.Disposable {
  let projects: readonly string[] = [];
  const show = () => (tree.unserved = unserved(projects, crews));
  const look = async () => {
    await opened;
    if (!tree.view.visible) return;
    projects = await workspaceProjects();
    setContext("crewdeck.hasProject", projects.length > 0);
    show();
  };
  // One after the other, so that the last one decides.
  let search = Promise.resolve();
  const lookAgain = () => {
    search = search.then(look).catch(logged("Looking for crew projects"));
  };
  lookAgain();
  return vscode.Disposable.from(
    tree.view.onDidChangeVisibility(lookAgain),
    crews.onDidChange(show),
    vscode.workspace.onDidChangeWorkspaceFolders(lookAgain),
    vscode.window.onDidChangeWindowState(lookAgain),
  );
}

/** `npm start` sets CREWDECK_START_LOCAL to a crew's folder. A workspace can't. */
export function startForDevelopment(locals: {
  start(options: { readonly folder: string }): Promise<unknown>;
}): void {
  const folder = process.env["CREWDECK_START_LOCAL"] ?? "";
  if (folder === "") return;
  // First, because the view would later take the focus from what the person does meanwhile.
  Promise.resolve(vscode.commands.executeCommand(`${viewId}.focus`))
    .then(() => locals.start({ folder }))
    .catch(logged("Starting the crew of CREWDECK_START_LOCAL"));
}
