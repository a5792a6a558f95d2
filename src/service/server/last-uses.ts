import { existsSync } from "node:fs";
import { integer, openSqlite, text, type Row } from "../../base/sqlite.ts";
import { databaseIn } from "../data-folder.ts";
import { change, rows, type Database } from "../database/database.ts";
import { messageOf, Refusal } from "../errors.ts";
import type { LastUses } from "./tokens.ts";

const select = 'SELECT name, used_at AS "usedAt" FROM token_uses';

/** Keeps the last uses of tokens in the database, where all processes of a server find them. */
export function lastUsesIn(database: Database): LastUses {
  return {
    async note(name, at) {
      await database.query(
        change(
          `INSERT INTO token_uses (name, used_at) VALUES (?, ?)
           ON CONFLICT (name) DO UPDATE SET used_at = excluded.used_at`,
          name,
          at,
        ),
      );
    },
    all: async () => byName(await database.query(rows(select))),
  };
}

/** Reads the last uses from the data folder of a server, which may be running. Undefined if the folder has no database. @throws {Refusal} */
export function lastUsesInFolder(folder: string): ReadonlyMap<string, number> | undefined {
  const file = databaseIn(folder);
  if (!existsSync(file)) return undefined;
  try {
    const database = openSqlite(file, { readOnly: true });
    try {
      return byName(database.prepare(select).all());
    } finally {
      database.close();
    }
  } catch (error) {
    throw new Refusal("data", `${file} can't be read: ${messageOf(error)}.`);
  }
}

function byName(found: readonly Row[]): ReadonlyMap<string, number> {
  return new Map(found.map((one) => [text(one, "name"), integer(one, "usedAt")]));
}
