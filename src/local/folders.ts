import path from "node:path";
import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { exampleFolder } from "./known-crews.ts";

/** Turns what names a crew's folder into the name it is known by, and back. */
export class Folders {
  readonly #example: vscode.Uri;

  /**
   * @param extension the extension's own folder
   * @param copy where `npm start` keeps a copy of the example crew, which then takes its place
   */
  constructor(extension: vscode.Uri, copy: string | undefined) {
    this.#example =
      copy === undefined || copy === ""
        ? vscode.Uri.joinPath(extension, "media", "example-crew")
        : vscode.Uri.file(copy);
  }

  /**
   * The name a folder is known by: its URI, or one that stays when the extension moves.
   * @param text a path, absolute or inside the workspace, or a URI
   * @throws UserError for a folder that is not on this machine
   */
  nameOf(text: string): string {
    if (text === exampleFolder) return text;
    const folder = /^[a-z][a-z0-9+.-]+:/i.test(text)
      ? vscode.Uri.parse(text, true)
      : vscode.Uri.file(absolute(text));
    if (folder.scheme !== "file")
      throw new UserError(
        vscode.l10n.t(
          "{0} is not a folder on this machine. Save the crew's project to a folder first.",
          text,
        ),
      );
    // Without a slash at the end, and without "..": one folder has one name.
    const tidy = vscode.Uri.file(path.resolve(folder.fsPath));
    return tidy.fsPath === this.#example.fsPath ? exampleFolder : tidy.toString();
  }

  /** Where the folder of that name is. */
  uriOf(name: string): vscode.Uri {
    return name === exampleFolder ? this.#example : vscode.Uri.parse(name, true);
  }
}

function absolute(text: string): string {
  if (path.isAbsolute(text)) return text;
  const root = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file");
  if (root === undefined)
    throw new UserError(
      vscode.l10n.t("“{0}” is no absolute path, and no folder is open that it could be in.", text),
    );
  return path.join(root.uri.fsPath, text);
}
