import { dirname, resolve } from "node:path";
import type { Database } from "../database/database.ts";
import { databaseIn, defaultDataFolder } from "../data-folder.ts";
import { Refusal } from "../errors.ts";
import { openDatabase } from "../storage.ts";
import { refuseOption } from "../command-line.ts";
import type { readTokenOptions } from "../options.ts";
import { readConfig } from "./config.ts";
import { addToken, hashOf, newToken, revokeToken, storedTokens, type Token } from "./tokens.ts";

type TokenOptions = ReturnType<typeof readTokenOptions>;

interface Result {
  readonly output: string;
  readonly note?: string;
}

/** Adds, lists or revokes the tokens of a server. The output of `add` is the new token, which is stored nowhere. @throws {Refusal} */
export async function runTokenCommand(options: TokenOptions): Promise<Result> {
  const { action, name, crews, config } = options;
  const known = (await readConfig(config)).crews.map((crew) => crew.name);
  if (action === "add" && !/^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/.test(name))
    throw refuseOption(
      "token",
      "token add: expected a name of 1 to 64 letters, digits and . _ @ + -.",
    );
  const unknown = crews.find((crew) => !known.includes(crew));
  if (unknown !== undefined)
    throw refused(`${config} has no crew "${unknown}". Its crews: ${known.join(", ") || "none"}.`);
  const { database: url, data } = options;
  const folder = resolve(data ?? defaultDataFolder(dirname(config), process.env));
  const place = url === undefined ? { file: databaseIn(folder) } : { url, connections: 4 };
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  const database = await openDatabase(place, log);
  try {
    if (action === "add") return await add(options, database);
    return await (action === "revoke" ? revoke(name, database) : list(database));
  } finally {
    await database.close();
  }
}

async function add(
  { name, crews, isUser, expiresDays }: TokenOptions,
  database: Database,
): Promise<Result> {
  const token = newToken();
  const kind: Token["kind"] = isUser ? "user" : "organization";
  const expiresAt = expiresDays === undefined ? null : database.now() + expiresDays * 86_400_000;
  const all = crews.length === 0 ? "all" : [...new Set(crews)];
  const added: Token = { name, kind, crews: all, expiresAt, hash: hashOf(token) };
  if (!(await database.transaction(() => addToken(added), true)))
    throw refused(`There is a token "${name}" already. Choose another name, or revoke it.`);
  const scope = crews.length === 0 ? "all crews" : crews.join(", ");
  const end = expiresAt === null ? "" : `, valid until ${new Date(expiresAt).toISOString()}`;
  const note = `This is the ${kind} token "${name}" for ${scope}${end}. It is shown only now: the database keeps its hash.\n`;
  return { output: `${token}\n`, note };
}

async function revoke(name: string, database: Database): Promise<Result> {
  if (!(await database.transaction(() => revokeToken(name, database.now()), true)))
    throw refused(`There is no token "${name}". "token list" shows those there are.`);
  return { output: "", note: `Revoked "${name}".\n` };
}

async function list(database: Database): Promise<Result> {
  const tokens = await database.query(storedTokens());
  if (tokens.length === 0) return { output: "", note: "There are no tokens.\n" };
  const time = (at: number | null = null) => (at === null ? "never" : new Date(at).toISOString());
  const lines = tokens.map(({ name, kind, crews, expiresAt, usedAt }) => [
    ...[name, kind, crews === "all" ? "all" : crews.join(",")],
    ...[time(expiresAt), time(usedAt)],
  ]);
  return { output: table([["NAME", "KIND", "CREWS", "EXPIRES", "LAST USED"], ...lines]) };
}

function table(rows: readonly (readonly string[])[]): string {
  const widthOf = (column: number) => Math.max(...rows.map((row) => (row[column] ?? "").length));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widthOf(column)))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

function refused(problem: string): Refusal {
  return new Refusal("options", problem);
}
