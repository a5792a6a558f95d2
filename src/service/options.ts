import { parseArgs } from "node:util";
import { messageOf, Refusal } from "./errors.ts";

export type ServiceOptions = ReturnType<typeof readOptions>;

const usage =
  "Usage: serve [<crew folder>] [--engine rehearsal|crewai] [--python FILE] [--parallel N] [--port 0] [--data DIR] [--token T] [--user-token T] " +
  "[--dialect documented|live] [--task-seconds S] [--unfinished hold|continue|discard] [--lifeline]";

export const help = `${usage}

Serves the Crew Execution API for the crew in a folder, on this machine only. Without a folder it serves the example crew.

  --engine rehearsal     repeats what each agent would be given, without a model (the default)
  --engine crewai        runs the crewAI project in its own Python
  --python FILE          the project's interpreter, if it isn't found
  --parallel N           how many executions of a crewAI project run at a time (1)
  --port N               0 takes any free port (0)
  --data DIR             where executions are kept
  --token T              the bearer token; by default a random one, or CREWDECK_TOKEN
  --user-token T         the user token; by default a random one, or CREWDECK_USER_TOKEN
  --dialect live         answers as deployed crews do, instead of as documented
  --task-seconds S       how long a rehearsed task takes (1)
  --unfinished continue  lets executions with crewAI continue that the last service left unfinished;
                         discard ends them, hold waits for a decision (hold)
  --lifeline             ends when standard input closes
  --help, --version

A rehearsed task fails if its description, with its inputs, contains "[rehearse failure]".`;

/** Tokens also come from the environment: other users can read a command line. @throws {Refusal} */
export function readOptions(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
) {
  const { values, positionals } = parse(argv);
  if (positionals.length > 1)
    throw refuse(`Expected one crew folder, not ${positionals.length}: ${positionals.join(" ")}`);
  const fromEnvironment = (name: string, usual: string) => readNumber(name, env[name] ?? usual);
  return {
    folder: positionals[0],
    engine: readChoice("--engine", values.engine, "rehearsal", "crewai"),
    /** The interpreter of a crewAI project, if not the one that the project has. */
    python: values.python,
    /** How many executions of a crewAI project run at a time. */
    parallel: readCount("--parallel", values.parallel),
    /** 0: any free port. */
    port: readPort(values.port),
    /** A folder; by default derived from the crew's folder. */
    data: values.data,
    token: values.token ?? env["CREWDECK_TOKEN"],
    userToken: values["user-token"] ?? env["CREWDECK_USER_TOKEN"],
    dialect: readChoice("--dialect", values.dialect, "documented", "live"),
    taskSeconds: readNumber("--task-seconds", values["task-seconds"]),
    /** What happens to executions of an engine that costs money, if the last service left them unfinished. */
    unfinished: readChoice("--unfinished", values.unfinished, "hold", "continue", "discard"),
    /** Whether the service ends when its standard input closes. */
    lifeline: values.lifeline,
    /** The wait before the second attempt of a callback. */
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
        python: { type: "string" },
        parallel: { type: "string", default: "1" },
        port: { type: "string", default: "0" },
        data: { type: "string" },
        token: { type: "string" },
        "user-token": { type: "string" },
        dialect: { type: "string", default: "documented" },
        "task-seconds": { type: "string", default: "1" },
        unfinished: { type: "string", default: "hold" },
        lifeline: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw refuse(messageOf(error));
  }
}

function readChoice<T extends string>(option: string, text: string, ...choices: readonly T[]): T {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  throw refuse(
    `${option} ${text}: expected ${choices.map((one) => JSON.stringify(one)).join(" or ")}.`,
  );
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

function readCount(name: string, text: string): number {
  if (/^\d*[1-9]\d*$/.test(text)) return Number(text);
  throw refuse(`${name} ${text}: expected a whole number of at least 1.`);
}

function refuse(problem: string): Refusal {
  return new Refusal("options", `${problem}\n${usage}`);
}
