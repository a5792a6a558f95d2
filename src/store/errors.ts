import * as l10n from "@vscode/l10n";

/** What keeps the database from being used. */
export type StoreProblem = "newer" | "full" | "readOnly" | "busy" | "failed";

/** Why the database can't be used; the message is for a person. Its `cause` is what the system reported. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly kind: StoreProblem;

  constructor(kind: StoreProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** The result code of SQLite in an error (https://sqlite.org/rescode.html), without its extension; undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number"
    ? error.errcode & 0xff
    : undefined;
}

const codes = {
  perm: 3,
  busy: 5,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
};

/** Whether SQLite reports that the file is damaged or no database at all. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === codes.corrupt || code === codes.notADatabase;
}

/** An error of SQLite or the file system as a StoreError. Any other error, such as a violated constraint, comes back as it is. */
export function explained(error: unknown, folder: string): unknown {
  const kind = kindOf(error);
  return kind === undefined ? error : new StoreError(kind, textOf(kind, folder, error), error);
}

function kindOf(error: unknown): Exclude<StoreProblem, "newer"> | undefined {
  switch (sqliteCode(error)) {
    case codes.full:
      return "full";
    case codes.perm:
    case codes.readOnly:
      return "readOnly";
    case codes.busy:
      return "busy";
    case codes.io:
    case codes.corrupt:
    case codes.cantOpen:
    case codes.notADatabase:
      return "failed";
    case undefined:
      return fileProblemOf(error);
    default:
      return undefined;
  }
}

function fileProblemOf(error: unknown): Exclude<StoreProblem, "newer"> | undefined {
  if (!(error instanceof Error && "code" in error && "syscall" in error)) return undefined;
  switch (error.code) {
    case "ENOSPC":
    case "EDQUOT":
      return "full";
    case "EBUSY":
      return "busy";
    case "EPERM":
      // Windows renames no file that another process has open.
      return error.syscall === "rename" ? "busy" : "readOnly";
    case "EACCES":
    case "EROFS":
      return "readOnly";
    default:
      return "failed";
  }
}

function textOf(kind: Exclude<StoreProblem, "newer">, folder: string, error: unknown): string {
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
    case "failed":
      return l10n.t(
        "Crewdeck's data in {0} can't be read or written ({1}). Check the disk and the folder, then try again.",
        folder,
        error instanceof Error ? error.message : String(error),
      );
  }
}
