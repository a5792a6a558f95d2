import { execFile, spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import {
  asArray,
  asObject,
  parseJson,
  textAt,
  type JsonObject,
  type UnknownObject,
} from "../../base/json.ts";

/** Characters of what the project prints that are kept for the report of a worker that died. */
const keptOutput = 2_000;
/** Characters of one reply; an output of that size is a mistake of the project. */
const largestReply = 32 * 1024 * 1024;
/** A project that has not loaded by then hangs (ms). The first import compiles crewAI: 16 s were measured on a loaded machine. */
const openTimeoutMs = 5 * 60_000;

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
  /** The path of worker.py. */
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives each line that the project prints. */
  readonly onLine: (line: string) => void;
}

/** A Python process that runs one attempt after the other of one execution (protocol: worker.py). It leads a process group, so that what the project starts ends with it. */
export class Worker {
  readonly #child: ChildProcess;
  readonly #ended: Promise<string>;
  #printed = "";
  #key = "";
  #receive: ((reply: UnknownObject) => void) | undefined;
  /** Resolves once crewAI is imported. */
  readonly ready: Promise<UnknownObject>;

  constructor({ python, program, env, onLine }: WorkerOptions) {
    this.#child = spawn(python, ["-u", program], {
      env: { ...env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    const { stdin, stdout, stderr } = this.#child;
    this.#ended = new Promise((resolve) => {
      this.#child.once("error", (error) => resolve(error.message));
      this.#child.once("close", (code, by) => resolve(by ?? `exit code ${code}`));
    });
    // A write to a worker that has just ended, which `#ended` reports.
    stdin?.on("error", () => undefined);
    if (stderr)
      createInterface({ input: stderr, crlfDelay: Infinity }).on("line", (printed) => {
        const line = this.#withoutKey(printed);
        this.#printed = `${this.#printed}${line}\n`.slice(-keptOutput);
        onLine(line);
      });
    let rest = "";
    stdout?.setEncoding("utf8").on("data", (text: string) => {
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > largestReply) this.end();
      for (const line of lines) this.#receive?.(asObject(parseJson(line)));
    });
    this.ready = this.#next(openTimeoutMs, () => undefined);
    // Whoever needs the worker awaits it, and then sees the failure.
    this.ready.catch(() => undefined);
  }

  /** Sends a command and resolves to its reply. @throws {ProjectFailure | WorkerEnded} */
  async send(
    command: JsonObject,
    {
      timeoutMs,
      onStep = () => undefined,
    }: { timeoutMs?: number; onStep?: (step: UnknownObject) => void } = {},
  ): Promise<UnknownObject> {
    await this.ready;
    const reply = this.#next(timeoutMs, onStep);
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
    return await reply;
  }

  /** @param environment variables that win over the project's own */
  async open(
    folder: string,
    file: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<UnknownObject> {
    this.#key = environment["OPENAI_API_KEY"] ?? "";
    const command = { do: "open", folder, file, environment };
    return await this.send(command, { timeoutMs: openTimeoutMs });
  }

  /** Ends the worker and all that it started. */
  end(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null)
      return;
    if (process.platform === "win32") execFile("taskkill", ["/pid", String(pid), "/t", "/f"]);
    else process.kill(-pid, "SIGKILL");
  }

  /** Shorter keys are placeholders, such as "none". */
  #withoutKey(text: string): string {
    return this.#key.length < 8 ? text : text.replaceAll(this.#key, "…");
  }

  async #next(
    timeoutMs: number | undefined,
    onStep: (step: UnknownObject) => void,
  ): Promise<UnknownObject> {
    let timer: NodeJS.Timeout | undefined;
    const replied = new Promise<UnknownObject>((resolve) => {
      this.#receive = (reply) => (reply["type"] === "step" ? onStep(reply) : resolve(reply));
    });
    const late = new Promise<undefined>((resolve) => {
      if (timeoutMs !== undefined) timer = setTimeout(() => resolve(undefined), timeoutMs);
    });
    const ended = this.#ended.then((how) => {
      const printed = this.#printed.trim();
      throw new WorkerEnded(
        `The crew's Python process ended (${how}).${printed === "" ? "" : ` It printed last:\n${printed}`}`,
      );
    });
    try {
      const reply = await Promise.race([replied, late, ended]);
      if (reply === undefined) {
        this.end();
        throw new ProjectFailure(
          `The project did not load within ${(timeoutMs ?? 0) / 60_000} minutes.`,
        );
      }
      if (reply["type"] === "failed") throw new ProjectFailure(this.#withoutKey(failureOf(reply)));
      return reply;
    } finally {
      clearTimeout(timer);
      this.#receive = undefined;
    }
  }
}

function failureOf(reply: UnknownObject): string {
  const frames = asArray(reply["frames"]).map((frame) => `\n  ${String(frame)}`);
  return `${textAt(reply, "message") ?? "The project failed."}${frames.join("")}`;
}
