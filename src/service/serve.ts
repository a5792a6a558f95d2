import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, fstatSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { getRequestListener } from "@hono/node-server";
import { asArray, asObject } from "../base/json.ts";
import { projectRoot } from "../projects/pyproject.ts";
import { readProject } from "../projects/read.ts";
import { defaultDataFolder, lockDataFolder, type DataFolder } from "./data-folder.ts";
import { documentedDialect, liveDialect } from "./dialects.ts";
import { crewaiEngine } from "./crewai/engine.ts";
import { findPython, noPython } from "./crewai/python.ts";
import { rehearsalEngine, type Engine } from "./engine.ts";
import { messageOf, Refusal } from "./errors.ts";
import type { ServiceOptions } from "./options.ts";
import { openService, type Service, type ServiceParts } from "./service.ts";

/** Beside the bundle, or in the source. */
const workerProgram =
  ["worker.py", "crewai/worker.py"]
    .map((file) => fileURLToPath(new URL(file, import.meta.url)))
    .find((file) => existsSync(file)) ?? "";

const maxDataFolders = 20;

/** Also in `service.json`: a client verifies the process before it sends a token. */
const instanceHeader = "Crewdeck-Instance";

/** Serves until the parent process ends or asks it to stop. @throws {Refusal} */
export async function serve(options: ServiceOptions, exampleCrew: string): Promise<void> {
  const folder = options.folder ?? exampleCrew;
  try {
    await readProject(folder);
  } catch (error) {
    throw new Refusal("project", `The crew in ${folder} can't be served. ${messageOf(error)}`);
  }
  const data = await takeData(options, folder);
  const tokens = { token: options.token || newToken(), userToken: options.userToken || newToken() };
  const engine = await chooseEngine(options, folder, dirname(data.database));
  const service = open({
    file: data.database,
    engine,
    dialect: options.dialect === "live" ? liveDialect : documentedDialect,
    tokens,
    readProject: () => readProject(folder),
    callbackBackoffMs: options.callbackBackoffMs,
    callbackTimeoutMs: options.callbackTimeoutMs,
    log,
    onHeld: sendHeld,
  });
  const files = data.keep();
  // Handled below.
  files.noticed.catch(() => undefined);
  const respond = getRequestListener(service.app.fetch);
  const instance = randomUUID();
  const server = createServer((request, response) => {
    response.setHeader(instanceHeader, instance);
    void respond(request, response);
  });
  const port = await listen(server, options.port);
  const url = `http://127.0.0.1:${port}`;
  data.publish({ url, port, instance });
  onParentEnd(options.lifeline, () => {
    // Running executions continue at the next start, as after a kill.
    engine.close?.();
    data.withdraw();
    if (service.erase()) data.release();
    process.exit(0);
  });
  process.on("message", (message) => {
    const { type, environment } = asObject(message);
    if (type === "workerEnvironment") engine.setEnvironment?.(environment);
  });
  // Over IPC without tokens: the parent passed them.
  if (process.send) process.send({ type: "listening", url, engine: engine.name, pid: process.pid });
  else process.stdout.write(`${JSON.stringify({ url, ...tokens, engine: engine.name })}\n`);
  try {
    await service.work();
    if (options.unfinished !== "hold") await decide(service, options.unfinished, service.held());
    reportHeld(service.held());
    if (process.send) process.on("message", (received) => takeDecision(service, received));
    await files.noticed;
  } catch (error) {
    data.withdraw();
    engine.close?.();
    // Of an emptied database, SQLite would say that it is damaged.
    throw files.look() ?? unusable(data.database, error);
  }
}

function takeDecision(service: Service, message: unknown): void {
  const { type, ids } = asObject(message);
  if (type !== "continue" && type !== "discard") return;
  decide(service, type, asArray(ids).map(String)).catch((error: unknown) =>
    log(`Interrupted executions could not be changed: ${messageOf(error)}`),
  );
}

/** Ids of executions that don't wait for a decision, such as those decided about before, are ignored. */
async function decide(
  service: Service,
  type: "continue" | "discard",
  ids: readonly string[],
): Promise<void> {
  const held = service.held();
  for (const id of ids.filter((each) => held.includes(each)))
    if (type === "continue") await service.release(id);
    else service.discard(id);
}

/** The end of a parent that has gone is noticed elsewhere. */
function sendHeld(ids: readonly string[]): void {
  if (process.connected) process.send?.({ type: "held", ids }, () => undefined);
}

function reportHeld(ids: readonly string[]): void {
  if (process.send) sendHeld(ids);
  else if (ids.length > 0) {
    const count =
      ids.length === 1 ? "1 unfinished execution was" : `${ids.length} unfinished executions were`;
    log(
      `${count} interrupted: ${ids.join(", ")}. Start the service again with --unfinished continue to let them continue, or with --unfinished discard to end them.`,
    );
  }
}

async function chooseEngine(
  options: ServiceOptions,
  folder: string,
  data: string,
): Promise<Engine> {
  if (options.engine === "rehearsal") return rehearsalEngine(options.taskSeconds);
  const root = await projectRoot(folder);
  const python = options.python ?? (await findPython(root));
  if (python === undefined) throw new Refusal("python", noPython(root));
  return crewaiEngine({
    folder: root,
    crew: relative(root, resolve(folder)).replaceAll(sep, "/"),
    data: resolve(data),
    python,
    program: workerProgram,
    parallel: options.parallel,
    env: process.env,
    log,
  });
}

async function takeData(options: ServiceOptions, crewFolder: string): Promise<DataFolder> {
  if (options.data !== undefined) return lockDataFolder(options.data);
  for (let number = 1; ; number += 1) {
    const folder = defaultDataFolder(crewFolder, number, process.env);
    try {
      const data = await lockDataFolder(folder);
      log(`Executions are kept in ${folder}`);
      return data;
    } catch (error) {
      if (!(error instanceof Refusal && error.reason === "inUse" && number < maxDataFolders))
        throw error;
    }
  }
}

function open(parts: ServiceParts): Service {
  try {
    return openService(parts);
  } catch (error) {
    throw unusable(parts.file, error);
  }
}

function unusable(file: string, error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal(
    "data",
    `The database ${file} can't be used: ${messageOf(error)}. Make it writable, restore it if it is damaged, or choose another folder with --data.`,
  );
}

/** On this machine only. @throws {Refusal} */
async function listen(server: Server, port: number): Promise<number> {
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch (error) {
    const isInUse = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    const problem = isInUse ? "is in use by another program" : `can't be used: ${messageOf(error)}`;
    throw new Refusal(
      "port",
      `Port ${port} on 127.0.0.1 ${problem}. End that program, or choose another port with --port; 0 takes any free port.`,
    );
  }
  return (server.address() as AddressInfo).port;
}

/** Closed standard input is the parent's end with `--lifeline`, or with IPC if it is a pipe. */
function onParentEnd(watchInput: boolean, end: () => void): void {
  process.once("SIGTERM", end);
  process.once("SIGINT", end);
  if (process.send) process.once("disconnect", end);
  if (!watchInput && !(process.send && isInputPipe())) return;
  for (const event of ["end", "close", "error"]) process.stdin.once(event, end);
  process.stdin.resume();
}

function isInputPipe(): boolean {
  try {
    const stats = fstatSync(0);
    return stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}

function newToken(): string {
  return randomBytes(24).toString("base64url");
}

function log(line: string): void {
  process.stderr.write(`${line}\n`);
}
