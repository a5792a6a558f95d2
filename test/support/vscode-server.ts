import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { runCommand } from "./commands.ts";
import { leaveNothingBehind } from "./leave-nothing.ts";
import { endFamily, familyOf } from "./processes.ts";
import { type InstalledServer, installedServer } from "./vscode-install.ts";
import { editionFromEnvironment, type Edition } from "./vscode-versions.ts";
import { waitFor } from "./wait.ts";

export interface ServerOptions {
  edition?: Edition;
  dataFolder: string;
  env?: NodeJS.ProcessEnv;
  /** Settings on top of those that keep the window quiet; written as machine settings. */
  settings?: Record<string, unknown>;
  port?: number;
  /** An extension to install first: the path of a .vsix, or of a folder, which is linked and so always as just built. */
  extension?: string;
  /**
   * Lets the page's address name an extension under development and a test module. It also turns notifications' toasts
   * off, so don't use it for a window that must look as a person sees it.
   */
  isForTestModule?: boolean;
}

export interface VSCodeServer {
  /** Such as 127.0.0.1:34567. */
  authority: string;
  port: number;
  dataFolder: string;
  logFile: string;
  /** Process ids of the extension hosts that run now, oldest first. */
  extensionHosts(): number[];
  /** Ends the server with every process it started. */
  stop(): Promise<void>;
}

/** No welcome page, telemetry, language-model features or release notes: nothing that appears by itself. */
export const quietSettings = {
  "workbench.startupEditor": "none",
  "telemetry.telemetryLevel": "off",
  "chat.disableAIFeatures": true,
  "workbench.tips.enabled": false,
  "git.openRepositoryInParentFolders": "never",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "extensions.ignoreRecommendations": true,
  "extensions.autoCheckUpdates": false,
  "security.workspace.trust.enabled": false,
};

/**
 * Turns off what tests don't use: animations, the search for repositories, and tooltips, which cover what is clicked next. What asks
 * stays open when a webview or an editor that was still loading takes the focus. Files are saved when a person does, as in desktop VS
 * Code: in a browser, they save themselves after a second.
 */
const testSettings = {
  "files.autoSave": "off",
  "workbench.reduceMotion": "on",
  "editor.cursorBlinking": "solid",
  "git.enabled": false,
  "workbench.hover.delay": 1_000_000,
  "workbench.quickOpen.closeOnFocusLost": false,
};

/** Without a gallery, the window doesn't check for updates online. */
export const noGallery = { EXTENSIONS_GALLERY: "{}" };

/** Without a model, the example crew is rehearsed, whatever this machine has. */
export const noModel = {
  OPENAI_API_KEY: undefined,
  MODEL: undefined,
  MODEL_NAME: undefined,
  OPENAI_MODEL_NAME: undefined,
};

const flags = [
  "--without-connection-token",
  "--accept-server-license-terms",
  "--telemetry-level",
  "off",
];

/**
 * Starts VS Code's server on a free port of 127.0.0.1.
 * @throws Error with the server's output if it does not start
 */
export async function startServer(options: ServerOptions): Promise<VSCodeServer> {
  const installed = await installedServer(options.edition ?? editionFromEnvironment());
  const { node, program } = installed;
  const { dataFolder } = options;
  writeSettings(dataFolder, options.settings);
  if (options.extension !== undefined)
    await installExtension(installed, dataFolder, options.extension);

  const logFile = path.join(dataFolder, "server.log");
  const log = openSync(logFile, "a");
  const args = [
    program,
    "--host",
    "127.0.0.1",
    "--port",
    String(options.port ?? 0),
    ...flags,
    "--disable-workspace-trust",
    "--server-data-dir",
    dataFolder,
  ];
  if (options.isForTestModule === true) args.push("--enable-smoke-test-driver");
  const child = spawn(node, args, {
    detached: true,
    stdio: ["ignore", log, log],
    env: { ...cleanEnvironment(), ...noGallery, ...options.env },
  });
  closeSync(log);
  const leader = await started(child);
  const forget = leaveNothingBehind(leader);
  const stop = async (): Promise<void> => {
    await endFamily(leader);
    forget();
  };
  try {
    const port = await waitFor("VS Code's server to listen", () => {
      if (child.exitCode !== null)
        throw new Error(
          `VS Code's server ended with code ${child.exitCode}:\n${readFileSync(logFile, "utf8")}`,
        );
      return /Web UI available at http:\/\/\S+:(\d+)/.exec(readFileSync(logFile, "utf8"))?.[1];
    });
    return {
      authority: `127.0.0.1:${port}`,
      port: Number(port),
      dataFolder,
      logFile,
      extensionHosts: () => extensionHostsOf(leader),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Settings for the whole machine, read by every window of the server; changes are noticed while it runs. */
export function writeSettings(dataFolder: string, settings: Record<string, unknown> = {}): void {
  const file = settingsFile(dataFolder);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...quietSettings, ...testSettings, ...settings }, null, 2));
}

export function readSettings(dataFolder: string): Record<string, unknown> {
  return JSON.parse(readFileSync(settingsFile(dataFolder), "utf8")) as Record<string, unknown>;
}

function settingsFile(dataFolder: string): string {
  return path.join(dataFolder, "data", "Machine", "settings.json");
}

/** This process's environment without variables of a surrounding VS Code. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(
    ([name]) => !name.startsWith("VSCODE_") && name !== "ELECTRON_RUN_AS_NODE",
  );
  return Object.fromEntries(entries);
}

/** The address of a page of the server; `development` are extension folders or a test module the page is to load. */
export function pageAddress(
  authority: string,
  workspace: string,
  development: readonly (readonly [string, string])[] = [],
): string {
  const remote = development.map(([name, file]) => [name, `vscode-remote://${authority}${file}`]);
  const payload = JSON.stringify([...remote, ["skipWelcome", "true"]]);
  return `http://${authority}/?folder=${encodeURIComponent(workspace)}&payload=${encodeURIComponent(payload)}`;
}

async function installExtension(
  { node, program }: InstalledServer,
  dataFolder: string,
  extension: string,
): Promise<void> {
  if (!extension.endsWith(".vsix")) {
    linkExtension(path.join(dataFolder, "extensions"), extension);
    return;
  }
  const args = [
    program,
    "--install-extension",
    extension,
    "--server-data-dir",
    dataFolder,
    ...flags,
  ];
  const { code, output } = await runCommand(node, args, { env: cleanEnvironment() });
  if (code !== 0 || !output.includes("was successfully installed"))
    throw new Error(`${extension} could not be installed:\n${output}`);
}

/** On its first start, the server treats what is in its extensions folder as installed. */
export function linkExtension(extensionsFolder: string, folder: string): void {
  const { publisher, name, version } = JSON.parse(
    readFileSync(path.join(folder, "package.json"), "utf8"),
  ) as Record<string, string>;
  const link = path.join(extensionsFolder, `${publisher}.${name}-${version}`);
  if (existsSync(link)) return;
  mkdirSync(extensionsFolder, { recursive: true });
  symlinkSync(folder, link, "junction");
}

/** Process ids of the extension hosts below a process, oldest first. */
export function extensionHostsOf(leader: number): number[] {
  return familyOf(leader)
    .filter((one) => one.command.includes("--type=extensionHost"))
    .map((one) => one.pid)
    .sort((a, b) => a - b);
}

async function started(child: ReturnType<typeof spawn>): Promise<number> {
  await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  if (child.pid === undefined) throw new Error("VS Code's server has no process id.");
  return child.pid;
}
