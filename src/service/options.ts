import { parseArgs } from "node:util";
import { messageOf } from "./errors.ts";
import { Refusal } from "./refusal.ts";

export interface ServiceOptions {
  /** The crew's folder; by default the example crew. */
  readonly folder: string | undefined;
  readonly engine: "rehearsal";
  /** 0: any free port. */
  readonly port: number;
  /** The database's folder; by default derived from the crew's folder. */
  readonly data: string | undefined;
  readonly token: string | undefined;
  readonly userToken: string | undefined;
  readonly dialect: "documented" | "live";
  /** Seconds that the rehearsal engine takes for a task. */
  readonly taskSeconds: number;
  /** Whether the service ends when its standard input closes. */
  readonly lifeline: boolean;
  /** Milliseconds before the second attempt of a callback. */
  readonly callbackBackoffMs: number;
  /** Time-out of a callback in milliseconds. */
  readonly callbackTimeoutMs: number;
}

const usage =
  "Usage: serve [<crew folder>] [--engine rehearsal] [--port 0] [--data DIR] [--token T] [--user-token T] " +
  "[--dialect documented|live] [--task-seconds S] [--lifeline]";

/**
 * Reads the command line and the environment. A program that starts the service passes tokens in CREWDECK_TOKEN and
 * CREWDECK_USER_TOKEN, since other users can read a command line.
 * @throws {Refusal}
 */
export function readOptions(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ServiceOptions {
  const { values, positionals } = parse(argv);
  if (positionals.length > 1)
    throw refuse(`Expected one crew folder, not ${positionals.length}: ${positionals.join(" ")}`);
  const fromEnvironment = (name: string, usual: string) => readNumber(name, env[name] ?? usual);
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
    callbackBackoffMs: fromEnvironment("CREWDECK_CALLBACK_BACKOFF_MS", "5000"),
    callbackTimeoutMs: fromEnvironment("CREWDECK_CALLBACK_TIMEOUT_MS", "10000"),
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
    throw refuse(messageOf(error));
  }
}

function readEngine(text: string): "rehearsal" {
  if (text === "rehearsal") return text;
  throw refuse(
    `--engine ${text}: expected "rehearsal", the engine that answers without a language model.`,
  );
}

function readDialect(text: string): "documented" | "live" {
  if (text === "documented" || text === "live") return text;
  throw refuse(`--dialect ${text}: expected "documented" or "live".`);
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw refuse(`--port ${text}: expected a number from 0 to 65535; 0 takes any free port.`);
}

function readNumber(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw refuse(`${name} ${text}: expected a number of at least 0.`);
}

function refuse(problem: string): Refusal {
  return new Refusal("options", `${problem}\n${usage}`);
}
