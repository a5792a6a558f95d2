import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import path from "node:path";
import { projectFolder } from "../../test/support/folders.ts";
import { runningProcesses, signal } from "../../test/support/processes.ts";
import { cleanEnvironment } from "../../test/support/vscode-server.ts";

/** What `npm start` runs. */
export interface StartOptions {
  /** Where VS Code keeps its settings and state between starts. */
  dataFolder: string;
  workspace: string;
  env: NodeJS.ProcessEnv;
}

/** A running VS Code. */
export interface RunningVSCode {
  /** Says where it runs. */
  greeting: string;
  /** Settles when VS Code ends by itself. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** Opens the desktop's VS Code; undefined without `code` on the PATH or without a display. */
export async function startDesktop({
  dataFolder,
  workspace,
  env,
}: StartOptions): Promise<RunningVSCode | undefined> {
  const wanted = process.env["CREWDECK_VSCODE"];
  const code = findCode();
  const hasDisplay =
    process.platform !== "linux" ||
    Boolean(process.env["DISPLAY"] ?? process.env["WAYLAND_DISPLAY"]);
  if (wanted === "server" || code === undefined || !hasDisplay) {
    if (wanted === "desktop")
      throw new Error(
        code === undefined
          ? "There is no `code` on the PATH."
          : "There is no display to show VS Code on.",
      );
    return undefined;
  }
  // Its own data folder makes it a separate instance, with our environment, that can be ended without affecting others.
  const userData = path.join(dataFolder, "desktop");
  const args = [
    "--new-window",
    "--wait",
    "--disable-workspace-trust",
    "--skip-welcome",
    `--user-data-dir=${userData}`,
  ];
  args.push(
    `--extensions-dir=${path.join(dataFolder, "desktop-extensions")}`,
    `--extensionDevelopmentPath=${projectFolder}`,
    workspace,
  );
  const isWindows = process.platform === "win32";
  const quoted = isWindows ? args.map((one) => `"${one}"`) : args;
  const child = spawn(isWindows ? `"${code}"` : code, quoted, {
    stdio: "inherit",
    shell: isWindows,
    env: { ...cleanEnvironment(), ...env },
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  const stop = async (): Promise<void> => {
    // Windows ends the processes of a console by itself.
    if (!isWindows)
      for (const one of runningProcesses())
        if (one.command.includes(userData)) signal(one.pid, "SIGTERM");
    child.kill();
    await ended;
  };
  return { greeting: "Crewdeck is running in VS Code's window.", ended, stop };
}

function findCode(): string | undefined {
  const name = process.platform === "win32" ? "code.cmd" : "code";
  const places = (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .map((folder) => path.join(folder, name));
  return places.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      // Not there.
      return false;
    }
  });
}
