import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import type { CrewdeckApi } from "../../src/actions/crewdeck-api.ts";
import { type Behaviour, json, MisbehavingServer } from "../support/misbehaving-server.ts";
import { activated, forgetAll, run } from "./extension.ts";

export interface RealService {
  readonly url: string;
  readonly token: string;
  readonly userToken: string;
  stop(): Promise<void>;
}

/** Starts the service on the example crew, with tasks that take no time. */
export async function startRealService(...args: readonly string[]): Promise<RealService> {
  const root = vscode.extensions.getExtension("crewdeck.crewdeck")!.extensionPath;
  const data = await mkdtemp(path.join(tmpdir(), "crewdeck-host-service-"));
  const [token, userToken] = ["organisation-token-of-the-test", "user-token-of-the-test"];
  const crew = path.join(root, "media", "example-crew");
  const program = path.join(root, "dist", "service.mjs");
  const child = spawn(
    process.execPath,
    [program, crew, "--lifeline", "--data", data, "--task-seconds", "0.05", ...args],
    {
      env: {
        ...process.env,
        ELECTRON_RUN_AS_NODE: "1",
        CREWDECK_TOKEN: token,
        CREWDECK_USER_TOKEN: userToken,
      },
      stdio: ["pipe", "pipe", "ignore"],
    },
  );
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", (line) =>
      resolve((JSON.parse(line) as { url: string }).url),
    );
    child.once("exit", (code) => reject(new Error(`The service ended with code ${code}.`)));
  });
  return {
    url,
    token,
    userToken,
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** For a `describe` at its top: connects a real service as a crew, and forgets everything afterwards. */
export function serveCrew(
  name: string,
  take: (service: RealService, api: CrewdeckApi) => void,
  ...args: readonly string[]
): void {
  let service: RealService | undefined;

  before(async () => {
    service = await startRealService(...args);
    take(service, await activated());
    await run("addCrew", { name, url: service.url, token: service.token });
  });

  after(async () => {
    await forgetAll();
    await service?.stop();
  });
}

/** For a `describe` at its top: connects a crew that answers so (JSON, or as it behaves), and forgets everything afterwards. */
export function serveAnswers(
  name: string,
  answer: (path: string) => object,
  take: (server: MisbehavingServer, api: CrewdeckApi) => unknown,
  token = "token-of-the-test",
): void {
  let server: MisbehavingServer;

  before(async () => {
    server = await MisbehavingServer.start();
    server.otherwise = (response, request) => {
      const { path } = request;
      const given = path === "/inputs" ? { inputs: ["topic"] } : answer(path);
      const behave = typeof given === "function" ? (given as Behaviour) : json(200, given);
      behave(response, request);
    };
    take(server, await activated());
    await run("addCrew", { name, url: server.url, token });
  });

  after(async () => {
    await forgetAll();
    await server.stop();
  });
}
