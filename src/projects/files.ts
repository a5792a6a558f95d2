import * as l10n from "@vscode/l10n";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { ProjectError } from "./types.ts";

/** Definitions are small; a larger file is a mistake and would only make the reader slow. */
const largestBytes = 1024 * 1024;

/** One text file of a project; `file` is its path inside the project, with forward slashes. */
export interface TextFile {
  readonly file: string;
  readonly text: string;
}

/** Whether a path is a file. Anything that can't be looked at counts as absent. */
export async function isFile(file: string): Promise<boolean> {
  return (await kindOf(file)) === "file";
}

/** Whether a path is a folder. Anything that can't be looked at counts as absent. */
export async function isFolder(folder: string): Promise<boolean> {
  return (await kindOf(folder)) === "folder";
}

async function kindOf(entry: string): Promise<"file" | "folder" | undefined> {
  try {
    const found = await stat(entry);
    if (found.isFile()) return "file";
    return found.isDirectory() ? "folder" : undefined;
  } catch {
    // Not there, or not ours to look at: to a reader of projects that is the same.
    return undefined;
  }
}

/** Names of the folders in a folder, sorted, without links; none where it can't be read. */
export async function foldersIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort();
  } catch {
    // Not there, or not ours to look at: to a reader of projects that is the same.
    return [];
  }
}

/**
 * Reads a text file of a project.
 * @param file path inside the project, with forward slashes
 * @throws ProjectError where it can't be read, is larger than 1 MB or is not UTF-8
 */
export async function readText(folder: string, file: string): Promise<TextFile> {
  const start = { file, line: 1, column: 1 };
  let bytes: Buffer;
  try {
    const place = path.join(folder, file);
    const { size } = await stat(place);
    if (size > largestBytes)
      throw new ProjectError(
        l10n.t("The file is too large ({0} bytes).", size),
        l10n.t("a definition of at most 1 MB."),
        start,
      );
    bytes = await readFile(place);
  } catch (error) {
    if (error instanceof ProjectError) throw error;
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new ProjectError(
      l10n.t("The file can't be read ({0}).", reason),
      l10n.t("a file that can be read."),
      start,
    );
  }
  try {
    // The decoder drops a byte order mark.
    return { file, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    throw new ProjectError(
      l10n.t("The file is not UTF-8 text."),
      l10n.t("text saved as UTF-8."),
      start,
    );
  }
}
