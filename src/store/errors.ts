/** Why the database can't be used, in words for a person. Its `cause` is what the system reported. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}

/** The result code of SQLite in an error (https://sqlite.org/rescode.html), without its extension; undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number"
    ? error.errcode & 0xff
    : undefined;
}

const [corrupt, notADatabase] = [11, 26];

/** Whether SQLite reports that the file is damaged or no database at all. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === corrupt || code === notADatabase;
}
