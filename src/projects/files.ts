import * as l10n from "@vscode/l10n";
import { isUtf8 } from "node:buffer";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { codeOf } from "../base/errors.ts";
import { FileTooLarge, NotRegularFile, readRegularFile } from "../base/files.ts";
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

/** @throws {ProjectError} if the file can't be read, is no regular file, is larger than 1 MB or isn't UTF-8 */
export async function readText(folder: string, file: string): Promise<TextFile> {
  const error = (problem: string, expected: string) =>
    new ProjectError(problem, expected, { file, line: 1, column: 1 });
  const bytes = await readRegularFile(path.resolve(folder, file), largestBytes).catch(
    (cause: unknown) => {
      if (cause instanceof FileTooLarge)
        throw error(l10n.t("The file is too large."), l10n.t("a definition of at most 1 MB."));
      if (cause instanceof NotRegularFile)
        throw error(
          l10n.t("This is a folder, a device or a pipe, or a link to one."),
          l10n.t("a file with text."),
        );
      throw error(
        l10n.t("The file can't be read ({0}).", codeOf(cause) ?? String(cause)),
        l10n.t("a readable file."),
      );
    },
  );
  // The decoder drops a byte order mark.
  const encoding = otherEncoding(bytes);
  if (encoding === undefined) return { file, text: new TextDecoder("utf-8").decode(bytes) };
  throw error(
    l10n.t("The file is not UTF-8 text, as crewAI needs it, but probably {0}.", encoding),
    l10n.t(
      "text in UTF-8. Select the encoding in the status bar: “Reopen with Encoding” with {0}, then “Save with Encoding” with UTF-8.",
      encoding,
    ),
  );
}

/** The probable encoding of what isn't UTF-8; its name is VS Code's. */
function otherEncoding(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 2).toString("hex");
  // Half of most texts' bytes are zero.
  const zero = bytes.subarray(0, 1000).indexOf(0);
  if (start === "fffe" || (zero >= 0 && zero % 2 === 1)) return "UTF-16 LE";
  if (start === "feff" || zero >= 0) return "UTF-16 BE";
  return isUtf8(bytes) ? undefined : "Windows 1252";
}
