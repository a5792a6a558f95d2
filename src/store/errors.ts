import * as l10n from "@vscode/l10n";
import { NoSqliteError } from "../base/sqlite.ts";

/** The message is for a person; `cause` is the system's error. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly kind: "failed" | "busy" | "missing" | "newer";

  constructor(kind: StoreError["kind"], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** SQLite's result codes (https://sqlite.org/rescode.html): CORRUPT and NOTADB. */
const damaged = [11, 26];
/** BUSY, LOCKED and PROTOCOL. */
const busy = [5, 6, 15];
/** PERM, NOMEM, READONLY, IOERR, FULL and CANTOPEN. Others are bugs. */
const failing = [...damaged, 3, 7, 8, 10, 13, 14];

function resultCode(error: unknown): number | undefined {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}

export function isDamage(error: unknown): boolean {
  return damaged.includes(resultCode(error) ?? 0);
}

/** Errors of SQLite and the file system as a StoreError; others are returned as they are. */
export function explained(error: unknown, folder: string): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof NoSqliteError) {
    const message = l10n.t(
      "Crewdeck can't store anything in this editor: its Node ({0}) has no SQLite (node:sqlite). Update the editor, or use VS Code.",
      process.version,
    );
    return new StoreError("missing", message, error);
  }
  const code = resultCode(error) ?? 0;
  const ofFiles = "syscall" in error && "code" in error ? error.code : undefined;
  // Windows can't rename a file that another process has open.
  if (busy.includes(code) || ofFiles === "EBUSY" || (ofFiles === "EPERM" && "dest" in error)) {
    const message = l10n.t(
      "Another window is using Crewdeck's data, so nothing was saved. Try again, or close the other windows.",
    );
    return new StoreError("busy", message, error);
  }
  if (!failing.includes(code) && ofFiles === undefined) return error;
  const message = l10n.t(
    "Crewdeck's data in {0} can't be read or written ({1}). Check that the disk has space and that the folder and its files are writable, then try again.",
    folder,
    error.message,
  );
  return new StoreError("failed", message, error);
}
