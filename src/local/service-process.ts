import * as l10n from "@vscode/l10n";
import { fork, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { asObject } from "../base/json.ts";

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export function describeExit({ code, signal }: Exit): string {
  return signal ?? (code === null ? l10n.t("no exit code") : l10n.t("exit code {0}", code));
}

const reasons = ["inUse", "project", "node", "data", "port"] as const;

interface Refused {
  readonly type: "refused";
  readonly reason: (typeof reasons)[number] | "other";
  readonly message: string;
}

export class ServiceRefusal extends Error {
  readonly reason: Refused["reason"];

  constructor({ reason, message }: Omit<Refused, "type">) {
    super(message);
    this.name = "ServiceRefusal";
    this.reason = reason;
  }
}

export class ServiceFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ServiceFailure";
  }
}

export function readMessage(
  received: unknown,
): { readonly type: "listening"; readonly url: string } | Refused | undefined {
  const { type, url, reason, message } = asObject(received);
  if (type === "listening") return typeof url === "string" ? { type, url } : undefined;
  if (type !== "refused") return undefined;
  return {
    type,
    reason: reasons.find((known) => known === reason) ?? "other",
    message: typeof message === "string" ? message : "The service gives no reason.",
  };
}

export interface ServiceOptions {
  readonly program: string;
  readonly folder: string;
  readonly dataFolder: string;
  /** 0 for any. */
  readonly port: number;
  readonly token: string;
  readonly userToken: string;
  /** For the Python of a crewAI project; it wins over the project's own. */
  readonly workerEnvironment?: Readonly<Record<string, string>>;
  /** Lines that the service writes, without tokens. */
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/** After this time (ms) the service is killed; its data survives that. */
const stopMs = 5000;

/** A service that listens, and always stops with this process. */
export class ServiceProcess {
  readonly url: string;
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string, exited: Promise<Exit>) {
    this.#child = child;
    this.url = url;
    this.exited = exited;
  }

  /** @throws ServiceRefusal, ServiceFailure, or the signal's reason; the process has ended then */
  static async start(options: ServiceOptions): Promise<ServiceProcess> {
    const { folder, port, dataFolder, token, userToken, onLine, signal } = options;
    signal.throwIfAborted();
    const args = ["--port", String(port), "--data", dataFolder, "--engine", "rehearsal"];
    const secrets = {
      CREWDECK_TOKEN: token,
      CREWDECK_USER_TOKEN: userToken,
      CREWDECK_WORKER_ENV: JSON.stringify(options.workerEnvironment ?? {}),
    };
    const child = fork(options.program, [folder, ...args], {
      execPath: process.execPath,
      // Otherwise the parent's debugger port would be used twice.
      execArgv: [],
      env: { ...environment(process.env), ...secrets },
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
          onLine(line.replaceAll(token, "…").replaceAll(userToken, "…")),
        );
    // The process has just ended, which `exited` reports.
    child.stdin?.on("error", () => undefined);
    try {
      return new ServiceProcess(child, await listening(child, exited, options), exited);
    } catch (error) {
      child.kill("SIGKILL");
      await exited;
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.askToStop();
    const killer = setTimeout(() => this.#child.kill("SIGKILL"), stopMs);
    await this.exited;
    clearTimeout(killer);
  }

  /** For projects that are opened from now on; running executions keep what they began with. */
  setWorkerEnvironment(environment: Readonly<Record<string, string>>): void {
    // A process that has just ended needs none.
    this.#child.send({ type: "workerEnvironment", environment }, () => undefined);
  }

  askToStop(): void {
    if (this.#child.connected) this.#child.disconnect();
    this.#child.stdin?.end();
  }
}

/** Without VS Code's own variables and options for its Node. */
export function environment(parent: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(parent).filter(
    ([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$)/i.test(name),
  );
  return { ...Object.fromEntries(kept), ELECTRON_RUN_AS_NODE: "1" };
}

async function listening(
  child: ChildProcess,
  exited: Promise<Exit>,
  { signal, timeoutMs = 20_000 }: ServiceOptions,
): Promise<string> {
  const over = new AbortController();
  const url = new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      const text = l10n.t("It did not respond within {0} s.", timeoutMs / 1000);
      reject(new ServiceFailure(text));
    }, timeoutMs);
    over.signal.addEventListener("abort", () => clearTimeout(timer));
    const cancel = () => reject(signal.reason as Error);
    signal.addEventListener("abort", cancel, { signal: over.signal });
    child.on("message", (received) => {
      const message = readMessage(received);
      if (message?.type === "listening") resolve(message.url);
      if (message?.type === "refused") reject(new ServiceRefusal(message));
    });
    child.once("error", reject);
    void exited.then((exit) => {
      const text = l10n.t("It ended during startup ({0}).", describeExit(exit));
      reject(new ServiceFailure(text));
    });
  });
  return await url.finally(() => over.abort());
}
