import { execFile, spawn, type ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import type { Secrets } from "../operations/redact.ts";
import { parseJson, type JsonObject } from "../../base/json.ts";
import { isReport, replySchema, type Reply, type ReplyOf, type Report } from "./replies.ts";

/** Characters of what the project prints: kept for the report of a worker that ended, of one line, and of one attempt as the log has it. */
const printLimits = { kept: 2_000, line: 4_000, attempt: 1_000_000 };
const keptLines = 100;
/** Characters of an entry in the log besides the printed line: its time, level, execution and crew. */
const entrySize = 160;
/** Characters of one reply; an output of that size is a mistake of the project. */
const largestReply = 32_000_000;
/** How long a worker has to end itself before it is killed (ms). */
const endMs = 2_000;
/** How long crewAI may take to import (ms). The first import compiles it: 16 s were measured on a loaded machine. */
const importMs = 5 * 60_000;
/** How long the last output of a worker that ended is waited for (ms). */
const drainMs = 1_000;

const pipeClosed =
  "The project closed file descriptors that it did not open, so its Python process can no longer report. Let it close only its own, and not, for example, os.closerange(3, 256).";

const pipeClosedExit = "exit code 70";

/** The worker ended before it replied. The attempt can be repeated. */
export class WorkerEnded extends Error {
  override readonly name = "WorkerEnded";
}

/** The project failed, as its Python reports it. A repeat would fail in the same way, and cost the same. */
export class ProjectFailure extends Error {
  override readonly name = "ProjectFailure";
}

export interface WorkerOptions {
  readonly python: string;
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: Secrets;
  readonly loadMs: number;
  /** Receives each line that the project prints, and remarks about it. */
  readonly onLine: (line: string, isPrinted: boolean) => void;
}

/** A Python process that runs one attempt after the other of one execution (protocol: crewdeck_worker/protocol.py). It leads a process group, so that what the project starts ends with it. */
export class Worker {
  readonly #child: ChildProcess;
  readonly #options: WorkerOptions;
  /** As they were printed: to hide what is secret in each line of a flood takes too long. */
  readonly #last: string[] = [];
  #printed = 0;
  #problem: ProjectFailure | undefined;
  #isReady = false;
  #receive: ((reply: Reply) => void) | undefined;
  readonly ended: Promise<ProjectFailure | WorkerEnded>;
  readonly ready: Promise<void>;

  constructor(options: WorkerOptions) {
    const { python, program, env, secrets, onLine } = options;
    this.#options = options;
    this.#child = spawn(python, ["-u", program], {
      env: { ...env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    const { stdin, stdout, stderr } = this.#child;
    // A write to a worker that has just ended, which `ended` reports.
    stdin?.on("error", () => undefined);
    if (stderr)
      eachLine(stderr, printLimits.line, (printed) => {
        if (this.#last.push(printed) > keptLines) this.#last.shift();
        if (this.#printed > printLimits.attempt) return;
        const line = secrets.hide(printed);
        // JSON has up to six characters for one.
        this.#printed += JSON.stringify(line).length + entrySize;
        if (this.#printed <= printLimits.attempt) onLine(line, true);
        else onLine("(The crew prints more than 1 MB; the rest isn't shown.)", false);
      });
    if (stdout) {
      eachLine(stdout, largestReply, (line) => {
        const json = line.length < largestReply ? parseJson(line) : undefined;
        const { success, output, issues } = v.safeParse(replySchema, json);
        if (success) this.#receive?.(output);
        else if (line.length === largestReply)
          this.#fail(
            `The output is larger than ${largestReply / 1_000_000} MB. Let the task write it to a file, and return a summary.`,
          );
        // Anything else is a line that was cut off: the worker was killed while it wrote.
        else if (json !== undefined)
          this.#fail(`Its Python replied something unexpected:\n${v.summarize(issues)}`);
      });
    }
    this.ended = this.#waitForEnd(python);
    const late = { what: "crewAI did not load", ms: importMs };
    this.ready = this.#ask(undefined, "ready", late).then(() => {
      this.#isReady = true;
    });
    // Whoever needs the worker awaits it, and then sees the failure.
    this.ready.catch(() => undefined);
  }

  /**
   * Once the worker is ready: opens a project, and hides the variables of its `.env` from then on; resolves to the crew.
   * @param inputs whether it names those of a flow, too, for which it makes one
   * @throws {ProjectFailure | WorkerEnded}
   */
  async open(project: JsonObject, inputs: boolean): Promise<ReplyOf<"opened">> {
    const { loadMs, secrets } = this.#options;
    // At a breakpoint, all may take as long as a person likes.
    const isDebugged = typeof project["debugPort"] === "number";
    const late = isDebugged ? undefined : { what: "The project did not load", ms: loadMs };
    const command = { do: "project", ...project };
    secrets.addVariables((await this.#ask(command, "project", late)).variables);
    return await this.#ask({ do: "open", inputs }, "opened", late);
  }

  /** Runs an attempt or a part of a flow; resolves to what it made. @throws {ProjectFailure | WorkerEnded} */
  run(command: JsonObject, onReport: (reported: Report) => void): Promise<ReplyOf<"output">> {
    return this.#ask(command, "output", undefined, onReport);
  }

  answer(answer: JsonObject): void {
    this.#child.stdin?.write(`${JSON.stringify({ do: "answer", ...answer })}\n`);
  }

  end(): void {
    // First, it may end itself: it knows which processes it started.
    this.#child.stdin?.destroy();
    const timer = setTimeout(() => {
      const { pid, exitCode, signalCode } = this.#child;
      // Otherwise, its number may belong to another process by now.
      if (pid !== undefined && exitCode === null && signalCode === null) killTree(pid);
    }, endMs);
    void this.ended.then(() => clearTimeout(timer));
  }

  /** @param command undefined for the reply that comes by itself. @param late how long it may take, and what then did not happen */
  async #ask<Type extends Reply["type"]>(
    command: JsonObject | undefined,
    type: Type,
    late?: { readonly what: string; readonly ms: number },
    onReport: (reported: Report) => void = () => undefined,
  ): Promise<ReplyOf<Type>> {
    const isExpected = (reply: Reply): reply is ReplyOf<Type> => reply.type === type;
    const timer =
      late &&
      setTimeout(() => this.#fail(`${late.what} within ${late.ms / 1000} seconds.`), late.ms);
    const replied = new Promise<ReplyOf<Type>>((resolve, reject) => {
      this.#receive = (reply) => {
        if (isReport(reply)) onReport(reply);
        else if (isExpected(reply)) resolve(reply);
        else if (reply.type === "failed")
          reject(new ProjectFailure(this.#options.secrets.hide(reply.message)));
      };
    });
    this.#printed = 0;
    if (command) this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
    try {
      const reply = await Promise.race([replied, this.ended]);
      if (reply instanceof Error) throw reply;
      return reply;
    } finally {
      clearTimeout(timer);
      this.#receive = undefined;
    }
  }

  #fail(problem: string): void {
    this.#problem = new ProjectFailure(problem);
    this.end();
  }

  async #waitForEnd(python: string): Promise<ProjectFailure | WorkerEnded> {
    const child = this.#child;
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const how = await new Promise<string | Error>((resolve) => {
      child.once("error", resolve);
      child.once("exit", (code, by) => resolve(by ?? `exit code ${code}`));
    });
    if (how instanceof Error)
      return new ProjectFailure(
        `The Python interpreter ${python} can't be started (${how.message}). Choose another one.`,
      );
    // What the project started keeps the pipes open.
    if (child.pid !== undefined && process.platform !== "win32") killTree(child.pid);
    await Promise.race([closed, sleep(drainMs, undefined, { ref: false })]);
    const printed = this.#options.secrets.hide(this.#last.join("\n")).trim();
    const last = printed === "" ? "" : `\nIt printed last:\n${printed.slice(-printLimits.kept)}`;
    const problem = how === pipeClosedExit ? pipeClosed : this.#problem?.message;
    if (problem !== undefined) return new ProjectFailure(`${problem}${last}`);
    // A Python that is too old can't even parse it, so that it can't report its version itself.
    if (!this.#isReady && how === "exit code 1")
      return new ProjectFailure(
        `${python} can't run Crewdeck's program. crewAI needs Python 3.10 or newer. Choose another interpreter.${last}`,
      );
    return new WorkerEnded(`The crew's Python process ended (${how}).${last}`);
  }
}

function killTree(pid: number): void {
  if (process.platform === "win32") execFile("taskkill", ["/pid", String(pid), "/t", "/f"]);
  else
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // All processes of the group have ended.
    }
}

/** Calls `use` with each line, of which `longest` characters are kept. */
function eachLine(stream: Readable, longest: number, use: (line: string) => void): void {
  let line = "";
  const add = (part: string) => (line += part.slice(0, longest - line.length));
  const finish = () => {
    const whole = line.replace(/\r$/, "");
    line = "";
    use(whole);
  };
  stream.setEncoding("utf8").on("data", (text: string) => {
    const [first = "", ...more] = text.split("\n");
    add(first);
    for (const part of more) {
      finish();
      add(part);
    }
  });
  stream.once("end", () => line !== "" && finish());
}
