import { parseArgs } from "node:util";
import { Refusal } from "./refusal.ts";

/** How the service is to run. */
export interface ServiceOptions {
  /** Folder of the crew; undefined means the example crew. */
  readonly folder: string | undefined;
  readonly engine: "rehearsal";
  /** 0 takes any free port. */
  readonly port: number;
  /** Folder of the database; undefined means one chosen by the folder of the crew. */
  readonly data: string | undefined;
  readonly token: string | undefined;
  readonly userToken: string | undefined;
  readonly dialect: "documented" | "live";
  /** Seconds that the rehearsal engine takes over a task. */
  readonly taskSeconds: number;
  /** Whether the service leaves when its standard input ends. */
  readonly lifeline: boolean;
  /** Milliseconds before the second try of a callback. */
  readonly callbackBackoffMs: number;
  /** Milliseconds that the receiver of a callback has to answer. */
  readonly callbackTimeoutMs: number;
}

const usage =
  "Usage: serve [<crew folder>] [--engine rehearsal] [--port 0] [--data DIR] [--token T] [--user-token T] " +
  "[--dialect documented|live] [--task-seconds S] [--lifeline]";

/**
 * Reads the command line and the environment: tokens may come from CREWDECK_TOKEN and CREWDECK_USER_TOKEN, and must when
 * another program starts the service, since others can read a command line.
 * @throws {Refusal} that says which argument is wrong and what is expected.
 */
export function readOptions(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ServiceOptions {
  const { values, positionals } = parse(argv);
  if (positionals.length > 1)
    throw refuse(
      `One crew folder is expected, not ${positionals.length}: ${positionals.join(" ")}`,
    );
  return {
    folder: positionals[0],
    engine: readEngine(values.engine),
    port: readPort(values.port),
    data: values.data,
    token: values.token ?? env["CREWDECK_TOKEN"],
    userToken: values["user-token"] ?? env["CREWDECK_USER_TOKEN"],
    dialect: readDialect(values.dialect),
    taskSeconds: readNumber("--task-seconds", values["task-seconds"]),
    lifeline: values.lifeline,
    callbackBackoffMs: readNumber(
      "CREWDECK_CALLBACK_BACKOFF_MS",
      env["CREWDECK_CALLBACK_BACKOFF_MS"] ?? "5000",
    ),
    callbackTimeoutMs: readNumber(
      "CREWDECK_CALLBACK_TIMEOUT_MS",
      env["CREWDECK_CALLBACK_TIMEOUT_MS"] ?? "10000",
    ),
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        engine: { type: "string", default: "rehearsal" },
        port: { type: "string", default: "0" },
        data: { type: "string" },
        token: { type: "string" },
        "user-token": { type: "string" },
        dialect: { type: "string", default: "documented" },
        "task-seconds": { type: "string", default: "1" },
        lifeline: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error));
  }
}

function readEngine(text: string): "rehearsal" {
  if (text === "rehearsal") return text;
  throw refuse(
    `--engine ${text}: the engine there is is "rehearsal", which answers without a language model.`,
  );
}

function readDialect(text: string): "documented" | "live" {
  if (text === "documented" || text === "live") return text;
  throw refuse(`--dialect ${text}: "documented" or "live" is expected.`);
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw refuse(`--port ${text}: a number from 0 to 65535 is expected; 0 takes any free port.`);
}

function readNumber(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw refuse(`${name} ${text}: a number from 0 is expected.`);
}

function refuse(problem: string): Refusal {
  return new Refusal("options", `${problem}\n${usage}`);
}
