import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { readTokenOptions } from "../../src/service/options.ts";
import { runTokenCommand } from "../../src/service/server/token-command.ts";
import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { asObject, parseJson } from "../../src/base/json.ts";
import { endWithTest } from "./ends.ts";
import { projectFolder, temporaryFolder } from "./folders.ts";

export interface StartOptions {
  /** The crew's folder; by default the example crew. */
  readonly folder?: string;
  /** More arguments. Without `--data` it gets an empty folder of its own. */
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export interface RunningService {
  readonly url: string;
  readonly token: string;
  readonly userToken: string;
  readonly child: ChildProcess;
  /** Its `--data` folder. */
  readonly data: string;
  log(): string;
  /** Ends it with SIGTERM. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** The service as a program; built first if it is missing or older than its source. */
export function serviceProgram(): string {
  const program = path.join(projectFolder, "dist", "service.mjs");
  const sources = ["src/service", "src/spans", "src/projects", "src/base"].flatMap((room) => {
    const folder = path.join(projectFolder, room);
    const files = readdirSync(folder, { recursive: true }).map(String);
    return files.map((name) => statSync(path.join(folder, name)).mtimeMs);
  });
  if (!existsSync(program) || statSync(program).mtimeMs < Math.max(...sources)) {
    const { status, stderr } = spawnSync(process.execPath, ["esbuild.mjs", "--service"], {
      cwd: projectFolder,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`The service could not be built: ${stderr}`);
  }
  return program;
}

/** Runs `dist/service.mjs` as `npm run serve` does, and resolves once it listens. */
export async function startService(options: StartOptions = {}): Promise<RunningService> {
  const args = [...(options.args ?? [])];
  const given = args.indexOf("--data");
  const data = given < 0 ? temporaryFolder("service") : (args[given + 1] ?? "");
  if (given < 0) args.push("--data", data);
  const folder = options.folder === undefined ? [] : [options.folder];
  const program = await startProgram([...folder, ...args], options.env);
  const { url, token, userToken } = program.announced as {
    url: string;
    token: string;
    userToken: string;
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    await program.end(signal);
  };
  const stop = () => end("SIGTERM");
  endWithTest(stop);
  return {
    url,
    token,
    userToken,
    child: program.child,
    data,
    log: program.log,
    stop,
    kill: () => end("SIGKILL"),
  };
}

export interface RunningProgram {
  readonly child: ChildProcess;
  /** Its first line, of JSON. */
  readonly announced: Readonly<Record<string, unknown>>;
  readonly log: () => string;
  /** Resolves to its exit code when it has ended; null after a signal. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Runs `dist/service.mjs`, and resolves once it is ready. @throws Error with its log if it ends before */
export async function startProgram(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<RunningProgram> {
  const child = spawn(process.execPath, [serviceProgram(), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const line = await firstLine(child, ended);
  if (line === undefined) throw new Error(`The service ended with code ${child.exitCode}: ${log}`);
  return {
    child,
    announced: asObject(parseJson(line)),
    log: () => log,
    async end(signal) {
      child.kill(signal);
      await ended;
      return child.exitCode;
    },
  };
}

/** Runs the service where it is expected not to start, and resolves to how it ended. */
export async function runService(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  user?: number,
) {
  const child = spawn(process.execPath, [serviceProgram(), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
    ...(user !== undefined && { uid: user, gid: user }),
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, stdout, stderr };
}

async function firstLine(child: ChildProcess, ended: Promise<void>): Promise<string | undefined> {
  if (!child.stdout) return undefined;
  const lines = createInterface({ input: child.stdout });
  return Promise.race([
    new Promise<string>((resolve) => lines.once("line", resolve)),
    ended.then(() => undefined),
  ]);
}

/** Adds an organization's token for all crews of a server. @param place `--config` and `--data`, with their values */
export async function addToken(...place: string[]): Promise<string> {
  return (await runTokenCommand(readTokenOptions(["add", "all", ...place], {}))).output.trim();
}
