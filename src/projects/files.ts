import * as l10n from "@vscode/l10n";
import type { Stats } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { ProjectError } from "./types.ts";

/** Definitions are small; a larger file is a mistake. */
const largestBytes = 1024 * 1024;

export interface TextFile {
  /** Path inside the project, with forward slashes. */
  readonly file: string;
  readonly text: string;
}

/** Whether a path is a file. A path that can't be read counts as absent. */
export async function isFile(file: string): Promise<boolean> {
  return (await statOf(file))?.isFile() ?? false;
}

/** Whether a path is a folder. A path that can't be read counts as absent. */
export async function isFolder(folder: string): Promise<boolean> {
  return (await statOf(folder))?.isDirectory() ?? false;
}

async function statOf(entry: string): Promise<Stats | undefined> {
  try {
    return await stat(entry);
  } catch {
    return undefined;
  }
}

/** Sorted names of the folders in a folder, without links; empty when it can't be read. */
export async function foldersIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort();
  } catch {
    return [];
  }
}

/**
 * Reads a text file of a project.
 * @param file path inside the project, with forward slashes
 * @throws {ProjectError} when it can't be read, is larger than 1 MB or isn't UTF-8
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
      l10n.t("a readable file."),
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
