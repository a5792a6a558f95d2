import { fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";

/** The local crew service as a program, as the extension itself starts it. */
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
  const child = fork(
    path.join(root, "dist", "service.mjs"),
    [path.join(root, "media", "example-crew"), "--data", data, "--task-seconds", "0.05", ...args],
    {
      env: { ...process.env, CREWDECK_TOKEN: token, CREWDECK_USER_TOKEN: userToken },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    },
  );
  const url = await new Promise<string>((resolve, reject) => {
    child.once("message", (message: { url?: string; message?: string }) =>
      message.url === undefined ? reject(new Error(message.message)) : resolve(message.url),
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
