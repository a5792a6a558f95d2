import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { projectFolder } from "../../test/support/folders.ts";
import { leaveNothingBehind } from "../../test/support/leave-nothing.ts";
import { endFamily } from "../../test/support/processes.ts";
import type { RunningVSCode, StartOptions } from "./desktop.ts";
import { installedServer } from "../../test/support/vscode-install.ts";
import {
  cleanEnvironment,
  linkExtension,
  noGallery,
  quietSettings,
} from "../../test/support/vscode-server.ts";
import { waitFor } from "../../test/support/wait.ts";

/** Tried first, so that the address stays the same, and with it the secrets that the browser keeps for it. */
const usualPort = 8379;

/**
 * Starts VS Code's server for a person's browser. It is code-server's own program, which keeps the key that lets secrets survive
 * a reload of the window; VS Code's bare server does not.
 */
export async function startInBrowser({
  dataFolder,
  workspace,
  env,
}: StartOptions): Promise<RunningVSCode> {
  const { node, front } = await installedServer("newest");
  mkdirSync(path.join(dataFolder, "Machine"), { recursive: true });
  writeFileSync(
    path.join(dataFolder, "Machine", "settings.json"),
    JSON.stringify(quietSettings, null, 2),
  );
  // Without its own file, code-server would read and write the user's.
  const config = path.join(dataFolder, "config.yaml");
  writeFileSync(config, "auth: none\n");
  const extensions = path.join(dataFolder, "extensions");
  linkExtension(extensions, projectFolder);

  const port = await freePort();
  const logFile = path.join(dataFolder, "server.log");
  const log = openSync(logFile, "w");
  const args = [
    front,
    "--config",
    config,
    "--bind-addr",
    `127.0.0.1:${port}`,
    "--user-data-dir",
    dataFolder,
    "--extensions-dir",
    extensions,
  ];
  args.push(
    "--disable-telemetry",
    "--disable-update-check",
    "--disable-workspace-trust",
    "--disable-getting-started-override",
    "--ignore-last-opened",
  );
  const child = spawn(node, args, {
    detached: true,
    stdio: ["ignore", log, log],
    env: { ...cleanEnvironment(), ...noGallery, ...env },
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  const leader = child.pid ?? 0;
  const forget = leaveNothingBehind(leader);
  const stop = async (): Promise<void> => {
    await endFamily(leader);
    forget();
  };
  const root = `http://127.0.0.1:${port}/`;
  await waitFor("VS Code's server to answer", async () => {
    if (child.exitCode !== null)
      throw new Error(
        `VS Code's server ended with code ${child.exitCode}:\n${readFileSync(logFile, "utf8")}`,
      );
    return (await fetch(`${root}healthz`).catch(() => undefined))?.ok;
  });
  return { greeting: `Crewdeck is running: ${root}?folder=${encodeURI(workspace)}`, ended, stop };
}

/** The usual port if it is free, else any free one. */
async function freePort(): Promise<number> {
  return (await tryPort(usualPort)) ?? (await tryPort(0)) ?? 0;
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(undefined));
    probe.listen(port, "127.0.0.1", () => {
      const taken = probe.address() as AddressInfo;
      probe.close(() => resolve(taken.port));
    });
  });
}
