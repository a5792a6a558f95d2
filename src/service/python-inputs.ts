import { textAt, type JsonValue } from "../base/json.ts";
import type { CrewProject } from "../projects/types.ts";
import { change, row, type Database } from "./database/database.ts";
import type { Engine } from "./engine.ts";
import { ApiError, messageOf } from "./errors.ts";
import type { Log } from "./operations/log.ts";
import { sharing } from "./sharing.ts";

interface PythonInputsOptions {
  readonly name: string;
  readonly engine: Pick<Engine, "inputs">;
  readonly database: Database;
  readonly read: () => Promise<CrewProject>;
  /** What the files of the project are now, as short text: an answer of Python holds for them. */
  readonly version: (project: CrewProject) => Promise<string>;
  /** `itself`: Python is asked as soon as its answer is needed. `allowed`: a person allows it. `elsewhere`: another process asks. */
  readonly asks: "itself" | "allowed" | "elsewhere";
  readonly log: Log;
}

interface Asked {
  readonly version: string;
  readonly answer: Promise<readonly string[]>;
  failure?: { readonly at: number; readonly why: string };
}

/** How long a failure of Python is an answer, too (ms): asking again takes seconds of the processor. */
const failureMs = 60_000;

/** What {@link ApiError.retryAfter} says while Python is asked, which takes seconds, and otherwise (s). */
const retrySeconds = { soon: 5, later: 60 };

/** The inputs of a crew whose files don't say them all, as its own Python names them. The answer is kept until the files change. */
export function createPythonInputs(options: PythonInputsOptions) {
  const { name, engine, database, asks, log } = options;
  let asked: Asked | undefined;

  async function known(version: string): Promise<readonly string[] | undefined> {
    const sql = "SELECT inputs FROM python_inputs WHERE crew = ? AND version = ?";
    const found = await database.query(row(sql, name, version));
    return found && (JSON.parse(textAt(found, "inputs") ?? "[]") as JsonValue[]).map(String);
  }

  async function ask(project: CrewProject, version: string): Promise<readonly string[]> {
    if (!engine.inputs) throw new Error("The engine has no Python to ask.");
    const inputs = await engine.inputs(project);
    const kept = change(
      `INSERT INTO python_inputs (crew, version, inputs) VALUES (?, ?, ?)
       ON CONFLICT (crew, version) DO UPDATE SET inputs = excluded.inputs`,
      ...[name, version, JSON.stringify(inputs)],
    );
    await database.query(kept);
    return inputs;
  }

  function askOnce(project: CrewProject, version: string): Promise<readonly string[]> {
    if (asked?.version === version && !asked.failure) return asked.answer;
    const mine: Asked = { version, answer: ask(project, version) };
    asked = mine;
    mine.answer.catch((error: unknown) => {
      mine.failure = { at: Date.now(), why: messageOf(error) };
      log(`The crew's Python could not name the inputs. ${messageOf(error)}`, { level: "error" });
    });
    return mine.answer;
  }

  function unknown(problem: string, retryAfter: number): ApiError {
    const message = `The crew's inputs are not known yet. ${problem}`;
    const crewdeck = { started: false, ...(asks === "allowed" && { ask_python: true }) };
    return new ApiError(503, message, { details: { crewdeck }, retryAfter });
  }

  function missing(project: CrewProject, version: string): ApiError {
    const failure = asked?.version === version ? asked.failure : undefined;
    if (failure && Date.now() - failure.at < failureMs)
      return unknown(`Its Python could not name them: ${failure.why}`, retrySeconds.later);
    if (asks === "itself") askOnce(project, version).catch(() => undefined);
    if (asked?.version === version && !asked.failure)
      return unknown("Its Python is being asked for them", retrySeconds.soon);
    return unknown(
      asks === "allowed"
        ? "Its files don't say them all. To ask its Python, which runs the project's code, open its kickoff form in VS Code"
        : "Its files don't say them all. A process that runs executions asks its Python within a minute, and its log says if that fails",
      retrySeconds.later,
    );
  }

  /** @param mayAsk whether to wait for Python's answer, unless the inputs are known */
  async function read(mayAsk: boolean): Promise<CrewProject> {
    const { lacks, ...project } = await options.read();
    // A rehearsal has no Python.
    if (lacks === undefined || !engine.inputs) return project;
    const version = await options.version(project);
    let inputs = await known(version);
    if (!inputs && mayAsk) inputs = await askOnce(project, version).catch(() => undefined);
    if (!inputs) throw missing(project, version);
    return { ...project, inputs };
  }

  return {
    readProject: sharing(() => read(false)),
    /** Asks Python, which runs the project's code. @throws {ApiError} 503, if it can't name them */
    askInputs: () => read(asks !== "elsewhere"),
  };
}
