#!/usr/bin/env node
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { hasSqlite } from "../base/sqlite.ts";
import { suggestion } from "./command-line.ts";
import { exitWith, nodeProblem, Refusal } from "./errors.ts";
import {
  migrateHelp,
  readMigrateOptions,
  readOptions,
  readTokenOptions,
  serveHelp,
  tokenHelp,
} from "./options.ts";
import { readRelayOptions, relayHelp } from "../relay/options.ts";

// Must run on an older Node until it has checked the version.

/** Beside `dist` for the bundle, beside `src` for the source. */
function exampleCrew(): string {
  const places = ["../media/example-crew", "../../media/example-crew"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return places.find((place) => existsSync(place)) ?? "";
}

/** From the package.json beside `dist`, or above the source. */
function version(): string {
  const files = ["../package.json", "../../package.json"];
  for (const file of files.map((path) => new URL(path, import.meta.url)))
    if (existsSync(file)) {
      const { version } = JSON.parse(readFileSync(file, "utf8")) as { version?: string };
      if (version !== undefined) return version;
    }
  return "unknown";
}

/** A first argument that chooses what runs. */
interface Command {
  /** A line of the program's help. */
  readonly summary: string;
  readonly help: string;
  /** @throws {Refusal} */
  run(args: readonly string[]): Promise<void>;
}

// What a command needs is loaded when it runs.
const serve: Command = {
  summary: "serves the Crew Execution API for a crew (also without a command)",
  help: serveHelp,
  async run(args) {
    const options = readOptions(args, process.env);
    const program = await import("./serve.ts");
    await program.serve(options, exampleCrew(), version());
  },
};
const relay: Command = {
  summary: "passes callbacks from the internet on to editors (also as --relay)",
  help: relayHelp,
  async run(args) {
    const options = readRelayOptions(args, process.env);
    const program = await import("../relay/serve.ts");
    await program.serveRelay(options);
  },
};
const token: Command = {
  summary: "adds, lists and revokes the tokens of a server",
  help: tokenHelp,
  async run(args) {
    const options = readTokenOptions(args, process.env);
    const { runTokenCommand } = await import("./server/token-command.ts");
    const { output, note } = await runTokenCommand(options);
    process.stdout.write(output);
    if (note !== undefined) process.stderr.write(note);
  },
};
const migrate: Command = {
  summary: "creates or updates the tables in a Postgres, as each start of a server does",
  help: migrateHelp,
  async run(args) {
    const url = readMigrateOptions(args, process.env);
    const { openPostgres } = await import("./storage.ts");
    const log = (line: string) => void process.stderr.write(`${line}\n`);
    const database = await openPostgres(url, 4, log);
    await database.close();
    print("The database is up to date.");
  },
};

const commands = new Map([
  ["serve", serve],
  ["token", token],
  ["migrate", migrate],
  ["relay", relay],
]);

function help(): string {
  const list = [...commands].map(([name, { summary }]) => `  ${name.padEnd(9)}${summary}`);
  return `Usage: crewdeck <command> [options]

${list.join("\n")}

crewdeck <command> --help lists the options of a command; crewdeck --version prints the version.`;
}

/**
 * The command and its arguments. VS Code and `npm run serve` name none, which is `serve`.
 * @throws {Refusal} of a word that is neither a command nor a folder
 */
function choose(args: readonly string[]): readonly [Command, readonly string[]] {
  const [first = "", ...rest] = args;
  const command = commands.get(first);
  if (command !== undefined) return [command, rest];
  if (args.includes("--relay")) return [relay, args.filter((arg) => arg !== "--relay")];
  if (/^\w[\w-]*$/.test(first) && !existsSync(first))
    throw new Refusal(
      "options",
      `There is no command or folder "${first}".${suggestion(first, [...commands.keys()])} The commands are ${[...commands.keys()].join(", ")}. See "crewdeck --help".`,
    );
  return [serve, args];
}

/** @throws {Refusal} */
function checkNode(): void {
  const problem = nodeProblem(process.versions.node, hasSqlite());
  if (problem !== undefined) throw new Refusal("node", problem);
}

const args = process.argv.slice(2);
try {
  const [command, rest] = choose(args);
  const isGeneral = args[0] === "--help" && command === serve;
  if (args.includes("--help")) print(isGeneral ? `${help()}\n\n${serve.help}` : command.help);
  else if (args.includes("--version")) print(version());
  else {
    checkNode();
    // Files with inputs and outputs are for this user only.
    process.umask(0o077);
    await command.run(rest);
  }
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  exitWith(error, args.includes("--for-windows"));
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
