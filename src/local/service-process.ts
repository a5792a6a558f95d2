import * as l10n from "@vscode/l10n";
import { fork, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { asArray, asObject } from "../base/json.ts";
import type { LocalEngine } from "../crews/types.ts";
import { reasons, ServiceFailure, ServiceRefusal, type Refusal } from "./service-errors.ts";

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export function describeExit({ code, signal }: Exit): string {
  return signal ?? (code === null ? l10n.t("no exit code") : l10n.t("exit code {0}", code));
}

interface Refused extends Refusal {
  readonly type: "refused";
}

interface Listening {
  readonly type: "listening";
  readonly url: string;
  readonly engine: LocalEngine;
}

/** All executions that a restart interrupted, and that a person has not decided about. */
interface Held {
  readonly type: "held";
  readonly ids: readonly string[];
}

/** What a person decides about interrupted executions. */
export type HeldDecision = "continue" | "discard";

export function readMessage(received: unknown): Listening | Held | Refused | undefined {
  const { type, url, engine, ids, reason, message } = asObject(received);
  if (type === "listening")
    return typeof url === "string"
      ? { type, url, engine: engine === "crewai" ? engine : "rehearsal" }
      : undefined;
  if (type === "held")
    return { type, ids: asArray(ids).filter((id): id is string => typeof id === "string") };
  if (type !== "refused") return undefined;
  return {
    type,
    reason: reasons.find((known) => known === reason) ?? "other",
    message: typeof message === "string" ? message : "The service gives no reason.",
  };
}

export type WorkerEnvironment = Readonly<Record<string, string>>;

/** Leads a crew's Python to the model that was chosen for the crew. */
export interface CrewModels {
  choice(crewId: string): { readonly use: "project" | "vscode" | "endpoint" };
  serve(
    crewId: string,
    start: (environment: WorkerEnvironment) => Promise<ServiceProcess>,
  ): Promise<ServiceProcess>;
  forget(crewId: string): Promise<void>;
}

export interface ServiceOptions {
  readonly program: string;
  readonly folder: string;
  readonly dataFolder: string;
  readonly engine:
    | { readonly engine: "rehearsal" }
    | { readonly engine: "crewai"; readonly python: string; readonly parallel: number };
  /** 0 for any. */
  readonly port: number;
  readonly token: string;
  readonly userToken: string;
  /** For the Python of a crewAI project; it wins over the project's own. */
  readonly workerEnvironment?: WorkerEnvironment;
  /** Lines that the service and the crew's Python write, without tokens and keys. */
  readonly onLine: (line: string) => void;
  /** Called after a start that found interrupted executions, and when they change. */
  readonly onHeld: (ids: readonly string[]) => void;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/** After this time (ms) the service is killed; its data survives that. */
const stopMs = 5000;

/** A service that listens, and always stops with this process. */
export class ServiceProcess {
  readonly url: string;
  /** The one that runs. */
  readonly engine: LocalEngine;
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #secrets: Set<string>;

  private constructor(
    child: ChildProcess,
    { url, engine }: Listening,
    exited: Promise<Exit>,
    secrets: Set<string>,
  ) {
    this.#child = child;
    this.#secrets = secrets;
    this.url = url;
    this.engine = engine;
    this.exited = exited;
  }

  /** @throws ServiceRefusal, ServiceFailure, or the signal's reason; the process has ended then */
  static async start(options: ServiceOptions): Promise<ServiceProcess> {
    const { folder, port, dataFolder, engine, token, userToken, onLine, signal } = options;
    signal.throwIfAborted();
    const args = ["--port", String(port), "--data", dataFolder, "--engine", engine.engine];
    if (engine.engine === "crewai")
      args.push("--python", engine.python, "--parallel", String(engine.parallel));
    const { workerEnvironment = {} } = options;
    const secrets = new Set([token, userToken, ...keysIn(workerEnvironment)]);
    const child = fork(options.program, [folder, ...args], {
      execPath: process.execPath,
      // Otherwise the parent's debugger port would be used twice.
      execArgv: [],
      env: {
        ...environment(process.env),
        CREWDECK_TOKEN: token,
        CREWDECK_USER_TOKEN: userToken,
        CREWDECK_WORKER_ENV: JSON.stringify(workerEnvironment),
      },
      stdio: ["pipe", "pipe", "pipe", "ipc"],
    });
    const exited = new Promise<Exit>((resolve) => {
      child.once("exit", (code, killedBy) => resolve({ code, signal: killedBy }));
      // A process that could not be created has no exit.
      child.once("error", () => child.pid === undefined && resolve({ code: null, signal: null }));
    });
    for (const stream of [child.stdout, child.stderr])
      if (stream !== null)
        createInterface({ input: stream, crlfDelay: Infinity }).on("line", (line) =>
          onLine([...secrets].reduce((text, secret) => text.replaceAll(secret, "…"), line)),
        );
    child.on("message", (received) => {
      const message = readMessage(received);
      if (message?.type === "held") options.onHeld(message.ids);
    });
    // The process has just ended, which `exited` reports.
    child.stdin?.on("error", () => undefined);
    try {
      return new ServiceProcess(child, await listening(child, exited, options), exited, secrets);
    } catch (error) {
      child.kill("SIGKILL");
      await exited;
      throw error;
    }
  }

  decide(type: HeldDecision, ids: readonly string[]): void {
    // If the process has just ended, its executions are held at the next start, too.
    if (this.#child.connected) this.#child.send({ type, ids }, () => undefined);
  }

  async stop(): Promise<void> {
    this.askToStop();
    const killer = setTimeout(() => this.#child.kill("SIGKILL"), stopMs);
    await this.exited;
    clearTimeout(killer);
  }

  /** For projects that are opened from now on; running executions keep what they began with. */
  setWorkerEnvironment(environment: WorkerEnvironment): void {
    for (const key of keysIn(environment)) this.#secrets.add(key);
    // A process that has just ended needs none.
    this.#child.send({ type: "workerEnvironment", environment }, () => undefined);
  }

  askToStop(): void {
    if (this.#child.connected) this.#child.disconnect();
    this.#child.stdin?.end();
  }
}

/** A short one is no secret, such as those that stand for none. */
function keysIn(environment: WorkerEnvironment): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    name.endsWith("_KEY") && value.length >= 8 ? [value] : [],
  );
}

/** Without VS Code's own variables and options for its Node, and without what is meant for a server. */
export function environment(parent: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(parent).filter(
    ([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$|CREWDECK_DATABASE$)/i.test(name),
  );
  return { ...Object.fromEntries(kept), ELECTRON_RUN_AS_NODE: "1" };
}

async function listening(
  child: ChildProcess,
  exited: Promise<Exit>,
  { signal, timeoutMs = 20_000 }: ServiceOptions,
): Promise<Listening> {
  const over = new AbortController();
  const started = new Promise<Listening>((resolve, reject) => {
    const timer = setTimeout(() => {
      const text = l10n.t("It did not respond within {0} s.", timeoutMs / 1000);
      reject(new ServiceFailure(text));
    }, timeoutMs);
    over.signal.addEventListener("abort", () => clearTimeout(timer));
    const cancel = () => reject(signal.reason as Error);
    signal.addEventListener("abort", cancel, { signal: over.signal });
    child.on("message", (received) => {
      const message = readMessage(received);
      if (message?.type === "listening") resolve(message);
      if (message?.type === "refused") reject(new ServiceRefusal(message));
    });
    child.once("error", reject);
    void exited.then((exit) => {
      const text = l10n.t("It ended during startup ({0}).", describeExit(exit));
      reject(new ServiceFailure(text));
    });
  });
  return await started.finally(() => over.abort());
}
