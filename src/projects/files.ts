import * as l10n from "@vscode/l10n";
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
  const stats = await stat(file).catch(() => undefined);
  return stats?.isFile() ?? false;
}

export async function isFolder(folder: string): Promise<boolean> {
  const stats = await stat(folder).catch(() => undefined);
  return stats?.isDirectory() ?? false;
}

/** Sorted, without links; empty if it can't be read. */
export async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

/** Sorted, without links; empty if it can't be read. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort();
}

/** @throws {ProjectError} if the file can't be read, is larger than 1 MB or isn't UTF-8 */
export async function readText(folder: string, file: string): Promise<TextFile> {
  const error = (problem: string, expected: string) =>
    new ProjectError(problem, expected, { file, line: 1, column: 1 });
  const unreadable = (cause: unknown) => {
    const reason = cause instanceof Error && "code" in cause ? cause.code : cause;
    throw error(
      l10n.t("The file can't be read ({0}).", String(reason)),
      l10n.t("a readable file."),
    );
  };
  const whole = path.join(folder, file);
  const { size } = await stat(whole).catch(unreadable);
  if (size > largestBytes)
    throw error(
      l10n.t("The file is too large ({0} bytes).", size),
      l10n.t("a definition of at most 1 MB."),
    );
  const bytes = await readFile(whole).catch(unreadable);
  try {
    // The decoder drops a byte order mark.
    return { file, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    throw error(l10n.t("The file is not UTF-8 text."), l10n.t("text saved as UTF-8."));
  }
}
