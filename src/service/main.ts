#!/usr/bin/env node
import { existsSync, readFileSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf } from "../base/errors.ts";
import { hasSqlite } from "../base/sqlite.ts";
import { exitWith, nodeProblem, Refusal } from "./errors.ts";
import {
  migrateHelp,
  readMigrateOptions,
  readOptions,
  readRelayOptions,
  readTestOptions,
  readTokenOptions,
  relayHelp,
  serveHelp,
  testHelp,
  tokenHelp,
} from "./options.ts";

// Must run on an older Node until it has checked the version.

/** Of a file or folder beside `dist` for the bundle, beside `src` for the source. */
function pathOf(name: string): string {
  const paths = ["..", "../.."].map((up) =>
    fileURLToPath(new URL(`${up}/${name}`, import.meta.url)),
  );
  return paths.find((path) => existsSync(path)) ?? name;
}

function version(): string {
  const manifest = JSON.parse(readFileSync(pathOf("package.json"), "utf8")) as { version: string };
  return manifest.version;
}

interface Command {
  readonly help: string;
  run(args: readonly string[]): Promise<void>;
}

// What a command needs is loaded when it runs.
const serve: Command = {
  help: serveHelp,
  async run(args) {
    const options = readOptions(args, process.env);
    // The next start takes three quarters of the time.
    if (options.data !== undefined) module.enableCompileCache(join(options.data, "compiled"));
    const program = await import("./serve.ts");
    await program.serve(options, pathOf("media/example-crew"), version());
  },
};
const test: Command = {
  help: testHelp,
  async run(args) {
    const { runTestCommand } = await import("./testing/test-command.ts");
    process.exitCode = await runTestCommand(readTestOptions(args, process.env));
  },
};
const token: Command = {
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
  help: migrateHelp,
  async run(args) {
    const url = readMigrateOptions(args, process.env);
    const { openDatabase } = await import("./storage.ts");
    const log = (line: string) => void process.stderr.write(`${line}\n`);
    const database = await openDatabase({ url, connections: 4 }, log);
    await database.close();
    print("The database is up to date.");
  },
};
const relay: Command = {
  help: relayHelp,
  async run(args) {
    const options = readRelayOptions(args, process.env);
    const program = await import("../relay/serve-relay.ts");
    await program.serveRelay(options);
  },
};

const commands = new Map(Object.entries({ serve, test, token, migrate, relay }));

const help = `Usage: crewdeck <command> [options]

  serve    serves the Crew Execution API for a crew (also without a command)
  test     runs the tests of crews, without a model
  token    adds, lists and revokes the tokens of a server
  migrate  creates or updates the tables in a Postgres, as each start of a server does
  relay    passes callbacks from the internet on to editors (also as --relay)

crewdeck <command> --help lists the options of a command; crewdeck --version prints the version.

${serveHelp}`;

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
      `There is no command or folder "${first}". The commands are ${[...commands.keys()].join(", ")}. See "crewdeck --help".`,
    );
  return [serve, args];
}

function checkNode(): void {
  const problem = nodeProblem(process.versions.node, hasSqlite());
  if (problem !== undefined) throw new Refusal("node", problem);
}

// Whoever reads may have enough, such as "head".
process.stdout.on("error", (error) => {
  if (codeOf(error) !== "EPIPE") throw error;
  process.exit();
});
const args = process.argv.slice(2);
try {
  const [command, rest] = choose(args);
  if (args[0] === "--help") print(help);
  else if (args.includes("--help")) print(command.help);
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
