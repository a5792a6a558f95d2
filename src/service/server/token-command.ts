import { dirname, resolve } from "node:path";
import { parseCommandLine, refuseOption, suggestion } from "../command-line.ts";
import { defaultDataFolder } from "../data-folder.ts";
import { Refusal, unreadable } from "../errors.ts";
import { configName } from "../options.ts";
import { isTokenName, parseServerConfig, readConfigText, type ServerToken } from "./config.ts";
import { editConfig } from "./config-file.ts";
import { withoutToken, withToken } from "./token-list.ts";
import { hashOf, newToken, type LastUses } from "./tokens.ts";

interface TokenCommandResult {
  /** For standard output. */
  readonly output: string;
  /** A message for the person, for standard error. */
  readonly note?: string;
}

const commands = ["add", "list", "revoke"];

/** A configuration before its first token. */
const newFile = `// The crews that this server serves, and the tokens that may use them.
{
  "crews": [],
  "tokens": []
}
`;

/** Where a server stores when tokens are used: the address of a Postgres, or a data folder. */
export type UsesPlace = { readonly database: string } | { readonly folder: string };

/**
 * Adds, lists or revokes tokens. The output of `add` is the new token, which is stored nowhere.
 * @param args the words after `token`
 * @param usesIn reads the last uses of tokens; undefined if no server has stored anything there
 * @throws {Refusal}
 */
export async function runTokenCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  usesIn: (place: UsesPlace) => Promise<Awaited<ReturnType<LastUses["all"]>> | undefined>,
): Promise<TokenCommandResult> {
  const { values, positionals } = parseCommandLine("token", {
    args: [...args],
    allowPositionals: true,
    options: {
      crew: { type: "string", multiple: true, default: [] },
      user: { type: "boolean", default: false },
      config: { type: "string" },
      database: { type: "string" },
      data: { type: "string" },
    },
  });
  const [command = "", name, ...rest] = positionals;
  const file = resolve(values.config ?? env["CREWDECK_CONFIG"] ?? configName);
  if (!commands.includes(command)) {
    const problem =
      command === ""
        ? ""
        : `There is no command "token ${command}".${suggestion(command, commands)} `;
    throw refuse(`${problem}Expected token add, token list or token revoke.`);
  }
  if (rest.length > 0)
    throw refuse(`token ${command}: expected one name, not also ${rest.join(" ")}.`);
  if (command !== "add" && (values.crew.length > 0 || values.user))
    throw refuse("--crew and --user belong to token add.");
  if (command !== "list" && (values.database ?? values.data) !== undefined)
    throw refuse("--database and --data belong to token list.");
  if (command === "list") {
    if (name !== undefined) throw refuse("token list: expected no name.");
    // The same defaults as the server's.
    const database =
      values.database ?? (values.data === undefined ? env["CREWDECK_DATABASE"] : undefined);
    const folder = values.data ?? defaultDataFolder(dirname(file), 1, env);
    const place = database === undefined ? { folder: resolve(folder) } : { database };
    return list(file, place, () => usesIn(place));
  }
  if (name === undefined) throw refuse(`token ${command}: expected a name.`);
  if (command === "revoke") return revoke(file, name);
  if (!isTokenName(name))
    throw refuse(`token add: expected a name of 1 to 64 letters, digits and . _ @ + -.`);
  return add(file, name, values.user ? "user" : "organization", values.crew);
}

async function add(
  file: string,
  name: string,
  kind: ServerToken["kind"],
  crews: readonly string[],
): Promise<TokenCommandResult> {
  const token = newToken();
  const edit = (text: string) => {
    const config = parseServerConfig(file, text);
    if (config.tokens.some((other) => isSameName(other.name, name)))
      throw refused(`${file} already has a token "${name}". Choose another name, or revoke it.`);
    const known = config.crews.map((crew) => crew.name);
    const unknown = crews.find((crew) => !known.includes(crew));
    if (unknown !== undefined)
      throw refused(`${file} has no crew "${unknown}". Its crews: ${known.join(", ") || "none"}.`);
    const added = {
      name,
      kind,
      crews: crews.length === 0 ? ("all" as const) : [...new Set(crews)],
      hash: hashOf(token),
    };
    return checked(file, withToken(text, added));
  };
  const isNew = await editConfig(file, edit, newFile);
  const scope = crews.length === 0 ? "all crews" : crews.join(", ");
  const note = `This is the ${kind} token "${name}" for ${scope}. It is shown only now: ${file} keeps its hash.\n`;
  const created = isNew ? `${file} is new: describe the server's crews in it.\n` : "";
  return { output: `${token}\n`, note: note + created };
}

async function revoke(file: string, name: string): Promise<TokenCommandResult> {
  await editConfig(file, (text) => {
    const { tokens } = parseServerConfig(file, text);
    const index = tokens.findIndex((token) => token.name === name);
    if (index < 0)
      throw refused(`${file} has no token "${name}". "token list" shows those it has.`);
    return checked(file, withoutToken(text, index));
  });
  return { output: "", note: `Revoked "${name}". A running server refuses it within seconds.\n` };
}

async function list(
  file: string,
  place: UsesPlace,
  lastUses: () => Promise<ReadonlyMap<string, number> | undefined>,
): Promise<TokenCommandResult> {
  const text = await readConfigText(file).catch((error: unknown) => {
    throw refused(`${unreadable(file, error)} Choose another one with --config.`);
  });
  const { tokens } = parseServerConfig(file, text);
  if (tokens.length === 0) return { output: "", note: `${file} has no tokens.\n` };
  const uses = await lastUses();
  const lastUse = (name: string) => {
    const at = uses?.get(name);
    return at === undefined ? (uses ? "never" : "unknown") : new Date(at).toISOString();
  };
  const rows = tokens.map(({ name, kind, crews }) => [
    name,
    kind,
    crews === "all" ? "all" : crews.join(","),
    lastUse(name),
  ]);
  const output = table([["NAME", "KIND", "CREWS", "LAST USED"], ...rows]);
  if (uses || !("folder" in place)) return { output };
  const note = `When they were last used is unknown: no server has kept anything in ${place.folder}. Name the server's folder with --data, or its Postgres with --database.\n`;
  return { output, note };
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

/** Returns the new text, once it is a valid configuration. @throws {Refusal} */
function checked(file: string, text: string): string {
  parseServerConfig(file, text);
  return text;
}

/** Names in the file are unique in any case. */
function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function refused(problem: string): Refusal {
  return new Refusal("options", problem);
}

function refuse(problem: string): Refusal {
  return refuseOption("token", problem);
}
