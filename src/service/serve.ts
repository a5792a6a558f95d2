import { randomBytes, randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { readProject } from "../projects/read.ts";
import { announceListening } from "./announce.ts";
import { defaultDataFolder, takeDataFolder, type DataFolder } from "./data-folder.ts";
import { documentedDialect } from "./dialect-documented.ts";
import { liveDialect } from "./dialect-live.ts";
import { watchLifeline } from "./lifeline.ts";
import { messageOf } from "./messages.ts";
import type { ServiceOptions } from "./options.ts";
import { Refusal } from "./refusal.ts";
import { rehearsalEngine } from "./rehearsal.ts";
import { openService, type Service, type ServiceParts } from "./service.ts";

/** How many folders are tried for a crew's data where none was named and the first are in use. */
const spareFolders = 20;

/** Goes with every answer and stands in `service.json` as well: who reads the address there can see whether it is still this process that answers, before any token is sent. */
const instanceHeader = "Crewdeck-Instance";

/**
 * Serves a crew until whoever started the service leaves. `exampleCrew` is served where no folder was named.
 * @throws {Refusal} when it can't start.
 */
export async function serve(
  options: ServiceOptions,
  exampleCrew: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const folder = options.folder ?? exampleCrew;
  await readCrew(folder);
  const data = await takeData(options, folder, env);
  const tokens = { token: options.token || newToken(), userToken: options.userToken || newToken() };
  const engine = rehearsalEngine(options.taskSeconds);
  const service = open({
    file: data.database,
    engine,
    dialect: options.dialect === "live" ? liveDialect : documentedDialect,
    tokens,
    readProject: () => readProject(folder),
    callbackBackoffMs: options.callbackBackoffMs,
    callbackTimeoutMs: options.callbackTimeoutMs,
    log,
    ...violations(env),
  });
  const answer = getRequestListener(service.app.fetch);
  const instance = randomUUID();
  const server = createServer((request, response) => {
    response.setHeader(instanceHeader, instance);
    void answer(request, response);
  });
  const port = await listen(server, options.port);
  const url = `http://127.0.0.1:${port}`;
  data.publish({ url, port, instance });
  watchLifeline(options.lifeline, () => {
    // What is under way is stored: it goes on at the next start, as after a kill.
    data.withdraw();
    service.erase();
    process.exit(0);
  });
  announceListening({ url, engine: engine.name, ...tokens });
  await service.work();
}

async function readCrew(folder: string): Promise<void> {
  try {
    await readProject(folder);
  } catch (error) {
    throw new Refusal("project", `The crew in ${folder} can't be served. ${messageOf(error)}`);
  }
}

async function takeData(
  options: ServiceOptions,
  crewFolder: string,
  env: NodeJS.ProcessEnv,
): Promise<DataFolder> {
  if (options.data !== undefined) return takeDataFolder(options.data);
  for (let number = 1; ; number += 1) {
    const folder = defaultDataFolder(crewFolder, number, env);
    try {
      const data = await takeDataFolder(folder);
      log(`Executions are kept in ${folder}`);
      return data;
    } catch (error) {
      if (!(error instanceof Refusal && error.reason === "inUse" && number < spareFolders))
        throw error;
    }
  }
}

function open(parts: ServiceParts): Service {
  try {
    return openService(parts);
  } catch (error) {
    throw new Refusal(
      "data",
      `The database ${parts.file} can't be used: ${messageOf(error)}. Make it writable, or name another folder with --data.`,
    );
  }
}

/** Listens on this machine only, and resolves to the port. @throws {Refusal} */
async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      const taken = "code" in error && error.code === "EADDRINUSE";
      const problem = taken ? "is taken by another program" : `can't be used: ${error.message}`;
      reject(
        new Refusal(
          "port",
          `Port ${port} on 127.0.0.1 ${problem}. End what uses it, or choose another port with --port; 0 takes any free one.`,
        ),
      );
    });
    server.listen(port, "127.0.0.1", resolve);
  });
  // Not a pipe, so there is a port.
  return (server.address() as AddressInfo).port;
}

/** With CREWDECK_VALIDATE=1 each answer is held against openapi.yaml; what is wrong is logged, and kept in the file CREWDECK_VIOLATIONS. */
function violations(env: NodeJS.ProcessEnv): Pick<ServiceParts, "onViolation"> {
  if (env["CREWDECK_VALIDATE"] !== "1") return {};
  const file = env["CREWDECK_VIOLATIONS"];
  return {
    onViolation(problem) {
      log(`Not as openapi.yaml says: ${problem}`);
      if (file) appendFileSync(file, `${problem}\n`);
    },
  };
}

function newToken(): string {
  return randomBytes(24).toString("base64url");
}

function log(line: string): void {
  process.stderr.write(`${line}\n`);
}
