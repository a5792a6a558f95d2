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

/** False also for a path that can't be read. */
export async function isFile(file: string): Promise<boolean> {
  return (await statOf(file))?.isFile() ?? false;
}

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
    const folders = entries.filter((entry) => entry.isDirectory());
    return folders.map((entry) => entry.name).sort();
  } catch {
    return [];
  }
}

/** @throws {ProjectError} when the file can't be read, is larger than 1 MB or isn't UTF-8 */
export async function readText(folder: string, file: string): Promise<TextFile> {
  const error = (problem: string, expected: string) =>
    new ProjectError(problem, expected, { file, line: 1, column: 1 });
  const bytes = await readBytes(path.join(folder, file));
  if (typeof bytes === "string")
    throw error(l10n.t("The file can't be read ({0}).", bytes), l10n.t("a readable file."));
  if (typeof bytes === "number")
    throw error(
      l10n.t("The file is too large ({0} bytes).", bytes),
      l10n.t("a definition of at most 1 MB."),
    );
  try {
    // The decoder drops a byte order mark.
    return { file, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    throw error(l10n.t("The file is not UTF-8 text."), l10n.t("text saved as UTF-8."));
  }
}

/** The content, the size if it is too large, or why it can't be read. */
async function readBytes(file: string): Promise<Buffer | number | string> {
  try {
    const { size } = await stat(file);
    return size > largestBytes ? size : await readFile(file);
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}
