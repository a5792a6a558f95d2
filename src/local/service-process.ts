import * as l10n from "@vscode/l10n";
import { spawn } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf } from "../base/errors.ts";
import { asObject, numberAt, parseJson } from "../base/json.ts";
import { safeUrl } from "../base/loopback.ts";
import { isRunning } from "../base/process.ts";
import { serviceLog, type ModelRoute } from "../base/window-protocol.ts";

export const reasons = ["inUse", "project", "node", "data", "port", "python"] as const;

export class ServiceError extends Error {
  override readonly name = "ServiceError";
  /** `gone`: it ended or doesn't respond, without a reason; `token`: it has other tokens. */
  readonly reason: (typeof reasons)[number] | "other" | "gone" | "token";

  constructor(reason: ServiceError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface ServiceOptions {
  readonly program: string;
  readonly folder: string;
  readonly dataFolder: string;
  readonly engine:
    | { readonly engine: "rehearsal" }
    | { readonly engine: "crewai"; readonly python: string; readonly parallel: number };
  readonly port: number;
  readonly token: string;
  readonly userToken: string;
  readonly route?: ModelRoute;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

const lookMs = 50;
/** After this time a service that was asked to end is killed (ms); its data survives that. */
const endMs = 5_000;

/** It outlives this process: it has no pipe to it. @throws ServiceError, or the signal's reason; it has ended then */
export async function startService(options: ServiceOptions): Promise<Running> {
  const { folder, port, dataFolder, engine, token, userToken, route = {}, signal } = options;
  const { timeoutMs = 20_000 } = options;
  signal.throwIfAborted();
  const args = ["--for-windows", "--port", String(port), "--data", dataFolder];
  args.push("--engine", engine.engine);
  if (engine.engine === "crewai")
    args.push("--python", engine.python, "--parallel", String(engine.parallel));
  const place = path.join(dataFolder, serviceLog);
  const log = openLog(dataFolder, place);
  const begin = fstatSync(log).size;
  const child = spawn(process.execPath, [options.program, folder, ...args], {
    // A process that stays must not keep another folder from being deleted.
    cwd: dataFolder,
    detached: true,
    windowsHide: true,
    env: {
      ...environment(process.env),
      CREWDECK_TOKEN: token,
      CREWDECK_USER_TOKEN: userToken,
      CREWDECK_MODEL_ROUTE: JSON.stringify(route),
    },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  child.unref();
  const exited = new Promise<string>((resolve) => {
    child.once("exit", (code, killedBy) => resolve(killedBy ?? `exit code ${code}`));
    child.once("error", (error) => resolve(error.message));
  });
  const until = performance.now() + timeoutMs;
  try {
    for (;;) {
      const running = await findRunning(dataFolder);
      if (running !== undefined && running.pid === child.pid) return running;
      const exit = await Promise.race([exited, delay(lookMs)]);
      if (exit !== undefined) {
        const written = (await readFile(place)).subarray(begin).toString("utf8").split("\n");
        const refusals = written.flatMap((line) => refusalIn(line, child.pid) ?? []);
        throw refusals.at(-1) ?? gone(l10n.t("It ended during startup ({0}).", exit));
      }
      signal.throwIfAborted();
      if (performance.now() > until)
        throw gone(l10n.t("It did not respond within {0} s.", timeoutMs / 1000));
    }
  } catch (error) {
    child.kill("SIGKILL");
    await exited;
    signal.throwIfAborted();
    throw error;
  }
}

function gone(message: string): ServiceError {
  return new ServiceError("gone", message);
}

function openLog(dataFolder: string, place: string): number {
  try {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    return openSync(place, "a", 0o600);
  } catch (error) {
    throw new ServiceError("data", l10n.t("Its data can't be written: {0}", String(error)));
  }
}

/** Ends a service at once. It must be known that the process is one. False if it doesn't end. */
export async function endService(dataFolder: string, pid: number): Promise<boolean> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (codeOf(error) === "ESRCH") return true;
      throw error;
    }
    const until = Date.now() + endMs;
    while (Date.now() < until) {
      // It withdraws its address last. Its parent may not have noticed its end.
      if ((await findRunning(dataFolder))?.pid !== pid) return true;
      await delay(lookMs);
    }
  }
  return false;
}

/** Without VS Code's own variables and options for its Node, and without what is meant for a server. */
export function environment(parent: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(parent).filter(
    ([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$|CREWDECK_DATABASE$)/i.test(name),
  );
  return { ...Object.fromEntries(kept), ELECTRON_RUN_AS_NODE: "1" };
}

/** Another window's service may have written to the log, too. */
export function refusalIn(line: string, writer: number | undefined): ServiceError | undefined {
  const { pid, reason, message } = asObject(asObject(parseJson(line))["refused"]);
  if (pid === undefined || pid !== writer) return undefined;
  return new ServiceError(
    reasons.find((known) => known === reason) ?? "other",
    typeof message === "string" ? message : "The service gives no reason.",
  );
}

export interface Running {
  readonly url: string;
  readonly pid: number;
  /** A header of its responses, new at each start. */
  readonly instance: string;
  /** Undefined for a service that isn't for windows, or ends with its own. */
  readonly protocol: number | undefined;
}

export async function findRunning(dataFolder: string): Promise<Running | undefined> {
  // The file may be missing or half written.
  const file = await readFile(path.join(dataFolder, "service.json"), "utf8").catch(() => "");
  const found = asObject(parseJson(file));
  const { url, pid, instance } = found;
  if (typeof url !== "string" || safeUrl(url)?.protocol !== "http:") return undefined;
  if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0 || !isRunning(pid))
    return undefined;
  if (typeof instance !== "string" || instance === "") return undefined;
  return { url, pid, instance, protocol: numberAt(found, "protocol") };
}

/** Without a token: the port may be another program's. A stopping service may still hold its data. */
export async function answers({ url, instance }: Running): Promise<boolean> {
  return await new Promise((resolve) => {
    const sent = request(url, { method: "HEAD", timeout: 1000, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.headers["crewdeck-instance"] === instance);
    });
    sent.once("error", () => resolve(false));
    sent.once("timeout", () => sent.destroy(new Error("No response in time.")));
    sent.end();
  });
}
