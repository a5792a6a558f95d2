import { existsSync } from "node:fs";
import { defined } from "../base/json.ts";
import { parseCommandLine, refuseOption } from "./command-line.ts";
import { messageOf, Refusal } from "./errors.ts";
import { operationsHelp, operationsOptions, readOperations } from "./operations/options.ts";

export type ServiceOptions = ReturnType<typeof readOptions>;

/** Of a server's configuration. */
export const configName = "crewdeck.server.jsonc";

const usage =
  "Usage: crewdeck serve [<crew folder>…] [--engine rehearsal|crewai] [--python FILE] [--parallel N] [--max-processes N] [--port 0] [--data DIR] [--token T] [--user-token T] " +
  "[--dialect documented|live] [--task-seconds S] [--on-restart hold|continue|discard] [--feedback-webhook URL] [--lifeline] [--for-windows] " +
  "[--config FILE] [--database URL] [--connections N] [--role both|api|worker] [--host ADDRESS] [--public-url URL] [--trust-proxy] [--drain-seconds S] " +
  "[--log text|json] [--metrics-token T] [--keep-days N] [--otlp-endpoint URL] [--otlp-content]";

export const serveHelp = `${usage}

Serves the Crew Execution API for the crew in a folder, on this machine only. Without a folder it serves the example crew,
unless there is a crewdeck.server.jsonc; of several folders, each crew is at an address with its folder's name.

  --engine rehearsal     repeats what each agent would be given, without a model (the default)
  --engine crewai        runs the crewAI project in its own Python
  --python FILE          the project's interpreter, if it isn't found
  --parallel N           how many executions of a crew run at a time (1 with crewAI, 16 rehearsed)
  --max-processes N      how many Python processes there are at a time, of all crews (by default, half of the memory's)
  --port N               0 takes any free port (0; with --config, the file's or 8000, but 0 for a worker)
  --data DIR             where executions are kept
  --token T              the bearer token; by default a random one, or CREWDECK_TOKEN
  --user-token T         the user token; by default a random one, or CREWDECK_USER_TOKEN
  --dialect live         answers as deployed crews do, instead of as documented
  --task-seconds S       how long a rehearsed task takes (1)
  --on-restart continue  lets executions with crewAI continue that the last service left unfinished: a task may run twice;
                         discard ends them, hold waits for a decision (hold; continue with --config or --database)
  --feedback-webhook URL where a flow asks for feedback, signed with the secret in CREWDECK_FEEDBACK_SECRET
${operationsHelp}
  --lifeline             ends when standard input closes
  --for-windows          as VS Code starts it: prints nothing, and ends when nothing has run and no window has used it for a minute
  --help, --version

For a team:
  --config FILE          serves the crews of a crewdeck.server.jsonc, with its tokens and limits; by default, without a
                         folder, CREWDECK_CONFIG or the crewdeck.server.jsonc in the current folder
  --database URL         keeps executions in Postgres, for several processes; by default CREWDECK_DATABASE
  --connections N        how many connections to Postgres it opens, at least 4 (8)
  --role api             answers requests only; worker runs executions and sends callbacks; both is the default
  --host ADDRESS         what it listens on, with --config (127.0.0.1)
  --public-url URL       how clients address it, with --config: https:// and a host, without a path
  --trust-proxy          a proxy in front of it sets X-Forwarded-For, -Host and -Proto
  --drain-seconds S      how long running tasks may still take when it is asked to stop (30 with --database, else 0)

A rehearsed task fails if its description, with its inputs, contains "[rehearse failure]".`;

/** Tokens also come from the environment: other users can read a command line. @throws {Refusal} */
export function readOptions(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
) {
  const { values, positionals } = parse(argv);
  const config = values.config ?? (positionals.length === 0 ? usualConfig(env) : undefined);
  const database = values.database ?? env["CREWDECK_DATABASE"];
  const isServer = config !== undefined || database !== undefined;
  if (config !== undefined && positionals.length > 0)
    throw refuse("--config: the file names the crews, so no folder can be given with it.");
  for (const option of ["engine", "python", "parallel", "dialect", "token", "user-token"] as const)
    if (config !== undefined && values[option] !== undefined)
      throw refuse(`--${option}: the crews of ${config} have theirs in the file.`);
  const role = readChoice("--role", values.role, "both", "api", "worker");
  if (values["for-windows"] && (isServer || positionals.length !== 1 || values.data === undefined))
    throw refuse("--for-windows: serves one folder, and needs --data.");
  if (role !== "both" && database === undefined)
    throw refuse(`--role ${role}: processes share a Postgres. Give its address with --database.`);
  const address = { host: values.host, publicUrl: values["public-url"] };
  for (const [option, given] of Object.entries({
    host: values.host,
    "public-url": address.publicUrl,
    "trust-proxy": values["trust-proxy"],
  }))
    if (given !== undefined && config === undefined)
      throw refuse(
        `--${option}: only a server with named tokens can be reached from outside. Give its file with --config.`,
      );
  const onRestart = values["on-restart"] ?? values.unfinished ?? (isServer ? "continue" : "hold");
  const unfinished = readChoice("--on-restart", onRestart, "hold", "continue", "discard");
  if (database !== undefined && unfinished !== "continue")
    throw refuse(
      `--on-restart ${unfinished}: with --database, other processes continue what one has left.`,
    );
  const fromEnvironment = (name: string, usual: string) => readNumber(name, env[name] ?? usual);
  return {
    folders: positionals,
    /** The path of a crewdeck.server.jsonc. */
    config,
    /** The address of a Postgres. */
    database: database === undefined ? undefined : attempt(() => readDatabase(database)),
    /** Whether it is for a team, not for one's own machine. */
    isServer,
    role,
    /** These win over the file's. */
    address: defined({ ...address, trustProxy: values["trust-proxy"] }),
    drainMs:
      1000 *
      readNumber(
        "--drain-seconds",
        values["drain-seconds"] ?? (database === undefined ? "0" : "30"),
      ),
    engine: readChoice("--engine", values.engine ?? "rehearsal", "rehearsal", "crewai"),
    /** The interpreter of a crewAI project, if not the one that the project has. */
    python: values.python,
    /** How many executions of a crew run at a time. Undefined if none is given. */
    parallel: values.parallel === undefined ? undefined : readCount("--parallel", values.parallel),
    /** How many Python processes there are at a time. Undefined if none is given. */
    maxProcesses:
      values["max-processes"] === undefined
        ? undefined
        : readCount("--max-processes", values["max-processes"]),
    /** To Postgres. */
    connections: readCount("--connections", values.connections),
    /** 0: any free port. Undefined if none is given. */
    port: values.port === undefined ? undefined : readPort(values.port),
    /** A folder; by default derived from the crew's folder. */
    data: values.data,
    token: values.token ?? env["CREWDECK_TOKEN"],
    userToken: values["user-token"] ?? env["CREWDECK_USER_TOKEN"],
    dialect: readChoice("--dialect", values.dialect ?? "documented", "documented", "live"),
    taskSeconds: readNumber("--task-seconds", values["task-seconds"]),
    /** What happens to executions of an engine that costs money, if the last service left them unfinished. */
    unfinished,
    feedbackWebhook: readWebhook(values["feedback-webhook"], env["CREWDECK_FEEDBACK_SECRET"]),
    // A window starts its service with the user's environment, which may name a collector for other programs.
    ...attempt(() => readOperations(values, values["for-windows"] ? {} : env)),
    /** Whether the service ends when its standard input closes. */
    lifeline: values.lifeline,
    /** Whether VS Code's windows use it: it ends when they don't. */
    forWindows: values["for-windows"],
    /** How long nothing may run without a window. */
    leaveMs: fromEnvironment("CREWDECK_LEAVE_MS", "60000"),
    /** The wait before the second attempt of a callback. */
    callbackBackoffMs: fromEnvironment("CREWDECK_CALLBACK_BACKOFF_MS", "5000"),
    callbackTimeoutMs: fromEnvironment("CREWDECK_CALLBACK_TIMEOUT_MS", "10000"),
  };
}

/** The configuration that `crewdeck token` edits, too. */
function usualConfig(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env["CREWDECK_CONFIG"] ?? (existsSync(configName) ? configName : undefined);
}

/** @throws {Refusal} with the message of what `read` throws */
function attempt<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw refuse(messageOf(error));
  }
}

function parse(argv: readonly string[]) {
  return parseCommandLine("serve", {
    args: [...argv],
    allowPositionals: true,
    options: {
      engine: { type: "string" },
      python: { type: "string" },
      parallel: { type: "string" },
      "max-processes": { type: "string" },
      connections: { type: "string", default: "8" },
      port: { type: "string" },
      data: { type: "string" },
      token: { type: "string" },
      "user-token": { type: "string" },
      dialect: { type: "string" },
      "task-seconds": { type: "string", default: "1" },
      "on-restart": { type: "string" },
      // The name of earlier versions.
      unfinished: { type: "string" },
      config: { type: "string" },
      database: { type: "string" },
      role: { type: "string", default: "both" },
      host: { type: "string" },
      "public-url": { type: "string" },
      "trust-proxy": { type: "boolean" },
      "drain-seconds": { type: "string" },
      "feedback-webhook": { type: "string" },
      ...operationsOptions,
      lifeline: { type: "boolean", default: false },
      "for-windows": { type: "boolean", default: false },
    },
  });
}

const oneOf = new Intl.ListFormat("en-GB", { type: "disjunction" });

function readChoice<T extends string>(option: string, text: string, ...choices: readonly T[]): T {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  throw refuse(
    `${option} ${text}: expected ${oneOf.format(choices.map((one) => JSON.stringify(one)))}.`,
  );
}

/** The secret comes from the environment only. */
function readWebhook(url: string | undefined, secret = "") {
  if (url === undefined) return undefined;
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw refuse("--feedback-webhook: expected an address that begins with http:// or https://.");
  if (secret === "")
    throw refuse(
      "--feedback-webhook: set CREWDECK_FEEDBACK_SECRET to the secret that signs requests.",
    );
  return { url, secret };
}

export const migrateHelp = `Usage: crewdeck migrate --database URL

Creates Crewdeck's tables in a Postgres, or brings them up to date. Each start of a server does the same; only one process
does it at a time.

  --database URL  the address, such as postgres://user@host:5432/name; by default CREWDECK_DATABASE. The password may be in
                  PGPASSWORD`;

/** @throws {Refusal} */
export function readDatabaseOption(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string {
  const { database = env["CREWDECK_DATABASE"] } = parseCommandLine("migrate", {
    args: [...argv],
    options: { database: { type: "string" } },
  }).values;
  if (database === undefined)
    throw refuseOption("migrate", "Give the address of the database with --database.");
  return readDatabase(database);
}

/** The address of a Postgres. Its password may come from the environment, as PGPASSWORD. @throws {Refusal} */
export function readDatabase(text: string): string {
  const refused = (problem: string) =>
    new Refusal("options", `--database (or CREWDECK_DATABASE): ${problem}`);
  if (!/^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? ""))
    throw refused(
      "expected an address such as postgres://user@host:5432/name, with the password in PGPASSWORD.",
    );
  try {
    decodeURIComponent(text);
  } catch {
    throw refused('write a "%" in the address, for example of the password, as "%25".');
  }
  return text;
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw refuse(`--port ${text}: expected a number from 0 to 65535; 0 takes any free port.`);
}

/** How many seconds a timer can wait. With more, it doesn't wait at all. */
const most = 2_147_483;

function readNumber(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= most) return value;
  throw refuse(`${name} ${text}: expected a number from 0 to ${most}.`);
}

function readCount(name: string, text: string): number {
  if (/^0*[1-9]\d*$/.test(text)) return Number(text);
  throw refuse(`${name} ${text}: expected a whole number of at least 1.`);
}

function refuse(problem: string): Refusal {
  return refuseOption("serve", problem);
}
