import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { defined } from "../base/json.ts";
import { safeUrl } from "../base/loopback.ts";
import {
  choice,
  flag,
  helpOf,
  nameOf,
  portNumber,
  readCommandLine,
  refuseOption,
  seconds,
  text,
  wholeNumber,
  type Option,
} from "./command-line.ts";
import type { Refusal } from "./errors.ts";
import { isNetwork } from "./networks.ts";
import { operationsOptions, readSpans } from "./operations/options.ts";

// Loaded at each start of the program, also on an old Node, so it imports little.

type Environment = Readonly<Record<string, string | undefined>>;

export type ServiceOptions = ReturnType<typeof readOptions>;

export const configName = "crewdeck.server.jsonc";

/** @param help says where it comes from */
function databaseOption(help: string): Option<string> {
  return text(
    "URL",
    `${help}; by default CREWDECK_DATABASE. The password may be in PGPASSWORD`,
    {
      variable: "CREWDECK_DATABASE",
      expected:
        'an address such as postgres://user@host:5432/name, with the password in PGPASSWORD, or in the address with "%" written as "%25"',
    },
    (given) => /^postgres(ql)?:\/\//.test(given) && URL.canParse(given) && canDecode(given),
  );
}

function canDecode(address: string): boolean {
  try {
    return decodeURIComponent(address) !== "";
  } catch {
    return false;
  }
}

const isWebAddress = (given: string) => /^https?:\/\//.test(given) && URL.canParse(given);

const oneMachine = {
  engine: choice(
    ["rehearsal", "crewai"],
    "rehearsal repeats what each agent would be given, without a model (the default); crewai runs the crewAI project in its own Python",
  ),
  python: text("FILE", "the project's interpreter, if it isn't found"),
  parallel: wholeNumber(
    1,
    Infinity,
    "how many executions of a crew run at a time (1 with crewAI, 16 rehearsed)",
  ),
  maxProcesses: wholeNumber(
    1,
    Infinity,
    "how many Python processes there are at a time, of all crews (by default, half of the memory's)",
  ),
  port: portNumber(
    "0 takes any free port (0; with --config, the file's or 8000, but 0 for a worker)",
  ),
  data: text("DIR", "where executions are kept; by default a folder derived from the crew's"),
  token: text("T", "the bearer token; by default CREWDECK_TOKEN, else a random one"),
  userToken: text("T", "the user token; by default CREWDECK_USER_TOKEN, else a random one"),
  dialect: choice(
    ["documented", "live"],
    "live answers as deployed crews do, instead of as documented",
  ),
  taskSeconds: seconds("how long a rehearsed task takes (1)"),
  onRestart: choice(
    ["hold", "continue", "discard"],
    "continue lets executions with crewAI continue that the last service left unfinished: a task may run twice; discard ends them, hold waits for a decision (hold; continue with --config or --database)",
  ),
  feedbackWebhook: text(
    "URL",
    "where a flow asks for feedback, signed with the secret in CREWDECK_FEEDBACK_SECRET",
    { expected: "an address that begins with http:// or https://" },
    isWebAddress,
  ),
  ...operationsOptions,
  lifeline: flag("ends when standard input closes"),
  forWindows: flag(
    "as VS Code starts it: prints nothing, and ends when nothing has run and no window has used it for a minute",
  ),
};

const team = {
  config: text(
    "FILE",
    `serves the crews of a ${configName}, with its limits; by default, without a folder, CREWDECK_CONFIG or the ${configName} in the current folder`,
  ),
  database: databaseOption("keeps executions in Postgres, for several processes"),
  connections: wholeNumber(
    4,
    Infinity,
    "how many connections to Postgres it opens, at least 4 (5 for a worker, else 8)",
  ),
  role: choice(
    ["both", "api", "worker"],
    "api answers requests only; worker runs executions and sends callbacks; both is the default",
  ),
  host: text("ADDRESS", "what it listens on, with --config (127.0.0.1)"),
  publicUrl: text(
    "URL",
    "how clients address it, with --config: https:// and a host, without a path",
    {
      expected:
        "an address without a path that begins with https://, such as https://crews.example.com; http:// is for this machine only",
    },
    (given) => /^https?:\/\/[^/?#@\s]+\/?$/.test(given) && safeUrl(given) !== undefined,
  ),
  callbackNetworks: text(
    "CIDR,...",
    "networks of its own to which a server sends callbacks, such as 10.0.0.0/8; by default only public addresses",
    { expected: "networks separated by commas, such as 10.0.0.0/8,192.168.1.0/24" },
    (given) => given.split(",").every(isNetwork),
  ),
  trustProxy: flag("a proxy in front of it sets X-Forwarded-For, -Host and -Proto"),
  drainSeconds: seconds(
    "how long running tasks may still take when it is asked to stop (30 with --database, else 0)",
  ),
};

export const serveHelp = `Usage: crewdeck serve [<crew folder>…] [options]

Serves the Crew Execution API for the crew in a folder, on this machine only. Without a folder it serves the example crew,
unless there is a ${configName}; of several folders, each crew is at an address with its folder's name.

${helpOf(oneMachine)}
  --help, --version

For a team:
${helpOf(team)}

A rehearsed task fails if its description, with its inputs, contains "[rehearse failure]".`;

/** A window or a test starts its service with the user's environment, where these variables are for other programs. */
export const ofOtherServices = {
  CREWDECK_DATABASE: undefined,
  CREWDECK_METRICS_TOKEN: undefined,
  OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
};

/** Tokens also come from the environment: other users can read a command line. @throws {Refusal} */
export function readOptions(argv: readonly string[], environment: Environment) {
  const env = argv.includes("--for-windows") ? { ...environment, ...ofOtherServices } : environment;
  const { words: folders, given } = readCommandLine("serve", { ...oneMachine, ...team }, argv, env);
  const config = given.config ?? (folders.length === 0 ? usualConfig(env) : undefined);
  const { database, role = "both", forWindows = false } = given;
  const isServer = config !== undefined || database !== undefined;
  if (config !== undefined && folders.length > 0)
    throw refuse("--config: the file names the crews, so no folder can be given with it.");
  const { engine, python, parallel, dialect, token, userToken } = given;
  const [ofCrew] = Object.keys(defined({ engine, python, parallel, dialect, token, userToken }));
  if (config !== undefined && ofCrew !== undefined)
    throw refuse(`--${nameOf(ofCrew)}: the crews of ${config} have theirs in the file.`);
  const { host, publicUrl, trustProxy } = given;
  const address = defined({ host, publicUrl, trustProxy });
  const [outside] = Object.keys(address);
  if (config === undefined && outside !== undefined)
    throw refuse(
      `--${nameOf(outside)}: only a server with named tokens can be reached from outside. Give its file with --config.`,
    );
  if (forWindows && (isServer || folders.length !== 1 || given.data === undefined))
    throw refuse("--for-windows: serves one folder, and needs --data.");
  if (role !== "both" && database === undefined)
    throw refuse(`--role ${role}: processes share a Postgres. Give its address with --database.`);
  const unfinished = given.onRestart ?? (isServer ? "continue" : "hold");
  if (database !== undefined && unfinished !== "continue")
    throw refuse(
      `--on-restart ${unfinished}: with --database, other processes continue what one has left.`,
    );
  const milliseconds = (name: string, usual: number) => Number(env[name] ?? usual);
  return {
    ...given,
    folders,
    config,
    isServer,
    role,
    address,
    /** Programs collect the log of a server. People read that of a service on their own machine. */
    log: given.log ?? (isServer ? "json" : "text"),
    logOutput: given.logOutput ?? !isServer,
    drainMs: 1000 * (given.drainSeconds ?? (database === undefined ? 0 : 30)),
    engine: engine ?? "rehearsal",
    // Workers with more would keep Postgres from answering the API processes.
    connections: given.connections ?? (role === "worker" ? 5 : 8),
    token: token ?? env["CREWDECK_TOKEN"],
    userToken: userToken ?? env["CREWDECK_USER_TOKEN"],
    dialect: dialect ?? "documented",
    taskSeconds: given.taskSeconds ?? 1,
    /** What happens to executions of an engine that costs money, if the last service left them unfinished. */
    unfinished,
    feedbackWebhook: readWebhook(given.feedbackWebhook, env["CREWDECK_FEEDBACK_SECRET"]),
    spans: readSpans(given.otlpEndpoint, given.otlpContent, env["OTEL_EXPORTER_OTLP_HEADERS"]),
    lifeline: given.lifeline ?? false,
    /** Whether VS Code's windows use it: it ends when they don't. */
    forWindows,
    leaveMs: milliseconds("CREWDECK_LEAVE_MS", 60_000),
    /** The wait before the second attempt of a callback. */
    callbackBackoffMs: milliseconds("CREWDECK_CALLBACK_BACKOFF_MS", 5000),
    callbackTimeoutMs: milliseconds("CREWDECK_CALLBACK_TIMEOUT_MS", 10_000),
  };
}

function usualConfig(env: Environment): string | undefined {
  return env["CREWDECK_CONFIG"] ?? (existsSync(configName) ? configName : undefined);
}

function readWebhook(url: string | undefined, secret = "") {
  if (url === undefined || secret !== "") return url === undefined ? undefined : { url, secret };
  throw refuse(
    "--feedback-webhook: set CREWDECK_FEEDBACK_SECRET to the secret that signs requests.",
  );
}

function refuse(problem: string): Refusal {
  return refuseOption("serve", problem);
}

const migrateOptions = { database: databaseOption("the address of the Postgres") };

export const migrateHelp = `Usage: crewdeck migrate --database URL

Creates Crewdeck's tables in a Postgres, or brings them up to date. Each start of a server does the same; only one process
does it at a time.

${helpOf(migrateOptions)}`;

export function readMigrateOptions(argv: readonly string[], env: Environment): string {
  const { given } = readCommandLine("migrate", migrateOptions, argv, env, false);
  if (given.database !== undefined) return given.database;
  throw refuseOption("migrate", "Give the address of the database with --database.");
}

const testOptions = {
  replay: flag("answers all calls from the recordings, without a model or a key (the default)"),
  record: flag("calls the models, which may cost money, and writes the recordings"),
  live: flag("calls the models, which may cost money, and leaves the recordings as they are"),
  python: text("FILE", "the project's interpreter, if it isn't found"),
  models: text("A,B", "runs each test once with each of these models, as the variable MODEL"),
  junit: text("FILE", "writes the results for a build server"),
  json: flag("prints a line of JSON for each result"),
  list: flag("prints the tests, and runs none"),
  lifeline: flag("ends when standard input closes"),
};

export const testHelp = `Usage: crewdeck test [<file or folder>…] [options]

Runs the tests of crews in files NAME.kickoff.json: request files with "expect", "answers" or "cases". Without a file or
folder, those in the current folder. NAME.kickoff.json#2 is the second of a file's cases. Exits with 1 if a test failed, and
with 2 if one could not run.

${helpOf(testOptions)}`;

export function readTestOptions(argv: readonly string[], env: Environment) {
  const { words: paths, given } = readCommandLine("test", testOptions, argv, env);
  const { python, junit, json: isJson = false, list: isList = false, lifeline = false } = given;
  const [mode = "replay", other] = (["replay", "record", "live"] as const).filter(
    (each) => given[each],
  );
  if (other) throw refuseOption("test", `--${mode} and --${other} exclude each other.`);
  const models = given.models?.split(",").filter(Boolean) ?? [];
  return { paths, mode, python, models, junit, isJson, isList, lifeline };
}

const tokenOptions = {
  crew: {
    value: "NAME",
    help: "a crew that the token may use; can be repeated (all crews)",
    read: (_last: string, all: readonly string[]) => all,
  },
  user: flag(
    "a user's token: it sees only executions that tokens of this name started. Without it, an organization's token sees all executions of its crews",
  ),
  expiresDays: wholeNumber(1, 36_500, "for how many days it is valid (until it is revoked)"),
  config: text("FILE", `the server's configuration (${configName}, or CREWDECK_CONFIG)`),
  database: databaseOption("the server's Postgres"),
  data: text(
    "DIR",
    "without a Postgres, the server's data folder; by default the one of a server with this configuration",
  ),
};

export const tokenHelp = `Usage: crewdeck token add <name> [--crew NAME]... [--user] [--expires-days N]
       crewdeck token list
       crewdeck token revoke <name>

Adds, lists and revokes the tokens of a server, in its database, which keeps only their hashes. The server may be running:
a change takes effect within a second.

${helpOf(tokenOptions)}`;

const tokenActions = ["add", "list", "revoke"] as const;

export function readTokenOptions(argv: readonly string[], env: Environment) {
  const refuseToken = (problem: string) => refuseOption("token", problem);
  const { words, given } = readCommandLine("token", tokenOptions, argv, env);
  const [word, ...names] = words;
  const action = tokenActions.find((each) => each === word);
  const { crew: crews = [], user: isUser = false, expiresDays, data } = given;
  if (action === undefined) throw refuseToken("Expected token add, token list or token revoke.");
  if (names.length !== (action === "list" ? 0 : 1))
    throw refuseToken(`token ${action}: expected ${action === "list" ? "no" : "one"} name.`);
  if (action !== "add" && (crews.length > 0 || isUser || expiresDays !== undefined))
    throw refuseToken("--crew, --user and --expires-days belong to token add.");
  return {
    ...{ action, name: names[0] ?? "", crews, isUser, expiresDays, data },
    config: resolve(given.config ?? env["CREWDECK_CONFIG"] ?? configName),
    // A folder that is given wins over the database of the environment.
    database: data === undefined ? given.database : undefined,
  };
}

const relayOptions = {
  port: portNumber("0 takes any free port (8787)"),
  host: text("ADDRESS", "what it listens on (127.0.0.1)"),
  data: text("DIR", "where channels and sealed callbacks are kept"),
  token: text(
    "T",
    "who has it may create channels; by default a random one that is kept in the data folder, or CREWDECK_TOKEN",
    { variable: "CREWDECK_TOKEN" },
  ),
};

export const relayHelp = `Usage: crewdeck relay [options]

Passes callbacks of deployed crews on to editors that can't be reached from the internet. Run it on a public host,
behind a proxy that speaks https. It stores callbacks sealed: only the editor that listens can read them.

${helpOf(relayOptions)}`;

export type RelayServiceOptions = ReturnType<typeof readRelayOptions>;

export function readRelayOptions(argv: readonly string[], env: Environment) {
  const { given } = readCommandLine("relay", relayOptions, argv, env, false);
  return { ...given, port: given.port ?? 8787, host: given.host ?? "127.0.0.1" };
}
