import * as l10n from "@vscode/l10n";
import { fork, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { exitInWords, ServiceFailure, ServiceRefusal, type Exit } from "./service-errors.ts";
import { readMessage } from "./service-messages.ts";

/** What a service is started with. */
export interface ServiceOptions {
  /** The bundled program. */
  readonly program: string;
  /** The crew project's folder. */
  readonly folder: string;
  readonly dataFolder: string;
  /** 0 for any. */
  readonly port: number;
  readonly token: string;
  readonly userToken: string;
  /** Lines that the service writes, without tokens. */
  readonly onLine: (line: string) => void;
  /** Ends the start, and the process with it. */
  readonly signal: AbortSignal;
  /** Milliseconds until a service that says nothing is given up. */
  readonly timeoutMs?: number;
}

const usualTimeoutMs = 20_000;
/** How long a service may take to leave before it is killed; its data survives that. */
const leaveMs = 5000;

/** A service that this process started and that listens. It leaves when this process ends, however that happens. */
export class ServiceProcess {
  readonly url: string;
  /** Fulfilled when the process has ended. */
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string, exited: Promise<Exit>) {
    this.#child = child;
    this.url = url;
    this.exited = exited;
  }

  /** Starts a service and waits until it listens. @throws ServiceRefusal, ServiceFailure, or the signal's reason; the process has ended then */
  static async start(options: ServiceOptions): Promise<ServiceProcess> {
    options.signal.throwIfAborted();
    const child = fork(
      options.program,
      [
        options.folder,
        "--port",
        String(options.port),
        "--data",
        options.dataFolder,
        "--engine",
        "rehearsal",
      ],
      {
        execPath: process.execPath,
        // Without this a debugger's port of the parent would be taken a second time.
        execArgv: [],
        env: {
          ...environment(process.env),
          CREWDECK_TOKEN: options.token,
          CREWDECK_USER_TOKEN: options.userToken,
        },
        stdio: ["pipe", "pipe", "pipe", "ipc"],
      },
    );
    const exited = new Promise<Exit>((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
      // A process that never came to be has no exit.
      child.once("error", () => child.pid === undefined && resolve({ code: null, signal: null }));
    });
    const say = (line: string) =>
      options.onLine(line.replaceAll(options.token, "…").replaceAll(options.userToken, "…"));
    for (const stream of [child.stdout, child.stderr]) if (stream) readLines(stream, say);
    // A write to a service that has just gone; its exit tells.
    child.stdin?.on("error", () => undefined);
    try {
      return new ServiceProcess(child, await listening(child, exited, options), exited);
    } catch (error) {
      child.kill("SIGKILL");
      await exited;
      throw error;
    }
  }

  /** Asks the service to leave, waits until it has, and kills it where it does not. */
  async stop(): Promise<void> {
    this.leave();
    const killer = setTimeout(() => this.#child.kill("SIGKILL"), leaveMs);
    await this.exited;
    clearTimeout(killer);
  }

  /** Asks the service to leave without waiting. It would leave by itself when this process ends. */
  leave(): void {
    if (this.#child.connected) this.#child.disconnect();
    this.#child.stdin?.end();
  }
}

/** The parent's environment without what steers the parent itself: VS Code's own variables and options for its Node. */
export function environment(parent: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(parent).filter(
    ([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$)/i.test(name),
  );
  return { ...Object.fromEntries(kept), ELECTRON_RUN_AS_NODE: "1" };
}

function readLines(stream: Readable, say: (line: string) => void): void {
  createInterface({ input: stream, crlfDelay: Infinity }).on("line", say);
}

async function listening(
  child: ChildProcess,
  exited: Promise<Exit>,
  { signal, timeoutMs = usualTimeoutMs }: ServiceOptions,
): Promise<string> {
  return await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(
      () =>
        reject(
          new ServiceFailure(
            l10n.t("It did not say within {0} s that it listens.", timeoutMs / 1000),
          ),
        ),
      timeoutMs,
    );
    const abort = () =>
      reject(
        signal.reason instanceof Error ? signal.reason : new Error("The start was cancelled."),
      );
    signal.addEventListener("abort", abort, { once: true });
    child.on("message", (received) => {
      const message = readMessage(received);
      if (message?.type === "listening") resolve(message.url);
      if (message?.type === "refused") reject(new ServiceRefusal(message));
    });
    child.once("error", reject);
    void exited.then((exit) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      reject(
        new ServiceFailure(l10n.t("It ended before it listened ({0}).", exitInWords(exit)), exit),
      );
    });
    child.once("message", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    });
  });
}
