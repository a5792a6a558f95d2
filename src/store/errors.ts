import * as l10n from "@vscode/l10n";
import { NoSqliteError } from "../base/sqlite.ts";

type Problem = "full" | "readOnly" | "busy" | "failed" | "missing";

/** The message is for a person; `cause` is the system's error. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly kind: Problem | "newer";

  constructor(kind: Problem | "newer", message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** SQLite's result codes (https://sqlite.org/rescode.html). */
const corrupt = 11;
const notADatabase = 26;
const sqliteProblems: Readonly<Record<number, Problem>> = {
  3: "readOnly", // PERM
  5: "busy",
  6: "busy", // LOCKED
  7: "failed", // NOMEM
  8: "readOnly",
  10: "failed", // IOERR
  [corrupt]: "failed",
  13: "full",
  14: "failed", // CANTOPEN
  15: "busy", // PROTOCOL
  [notADatabase]: "failed",
};

const fileProblems: Readonly<Record<string, Problem>> = {
  ENOSPC: "full",
  EDQUOT: "full",
  EBUSY: "busy",
  EPERM: "readOnly",
  EACCES: "readOnly",
  EROFS: "readOnly",
};

/** SQLite's result code without its extension. */
function sqliteCode(error: unknown): number | undefined {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}

export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === corrupt || code === notADatabase;
}

/** Errors of SQLite and the file system as a StoreError; others are returned as they are. */
export function explained(error: unknown, folder: string): unknown {
  const kind = kindOf(error);
  return kind === undefined ? error : new StoreError(kind, textOf(kind, folder, error), error);
}

function kindOf(error: unknown): Problem | undefined {
  if (error instanceof NoSqliteError) return "missing";
  const code = sqliteCode(error);
  if (code !== undefined) return sqliteProblems[code];
  if (!(error instanceof Error && "code" in error && "syscall" in error)) return undefined;
  // Windows can't rename a file that another process has open.
  if (error.code === "EPERM" && error.syscall === "rename") return "busy";
  return fileProblems[String(error.code)] ?? "failed";
}

function textOf(kind: Problem, folder: string, error: unknown): string {
  switch (kind) {
    case "full":
      return l10n.t(
        "The disk is full, so Crewdeck can't save anything in {0}. Free some space, then try again.",
        folder,
      );
    case "readOnly":
      return l10n.t(
        "Crewdeck can't write to its data in {0}. Make the folder and its files writable, then try again.",
        folder,
      );
    case "busy":
      return l10n.t(
        "Another window is using Crewdeck's data, so nothing was saved. Try again, or close the other windows.",
      );
    case "missing":
      return l10n.t(
        "Crewdeck can't store anything in this editor: its Node ({0}) has no SQLite (node:sqlite). Update the editor, or use VS Code.",
        process.version,
      );
    case "failed":
      return l10n.t(
        "Crewdeck's data in {0} can't be read or written ({1}). Check the disk and the folder, then try again.",
        folder,
        error instanceof Error ? error.message : String(error),
      );
  }
}
