import path from "node:path";
import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { exampleFolder } from "./known-crews.ts";

/** Converts a crew's folder to its name in {@link KnownCrews}, and back. */
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
      : vscode.Uri.file(absolute(text));
    if (folder.scheme !== "file")
      throw new UserError(
        vscode.l10n.t(
          "{0} is not a folder on this machine. Save the crew's project to a folder first.",
          text,
        ),
      );
    // Without "..", and without a slash at the end.
    const tidy = vscode.Uri.file(path.resolve(folder.fsPath));
    return tidy.fsPath === this.#example.fsPath ? exampleFolder : tidy.toString();
  }

  uriOf(name: string): vscode.Uri {
    return name === exampleFolder ? this.#example : vscode.Uri.parse(name, true);
  }
}

function absolute(text: string): string {
  if (path.isAbsolute(text)) return text;
  const root = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file");
  if (root !== undefined) return path.join(root.uri.fsPath, text);
  throw new UserError(
    vscode.l10n.t("“{0}” must be an absolute path, because no folder is open.", text),
  );
}
