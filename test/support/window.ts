import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chromium, type BrowserContext } from "playwright-core";
import { browserFlags, ensureBrowser } from "./browser.ts";
import { projectFolder, temporaryFolder } from "./folders.ts";
import { saveEvidenceOfFailure } from "./open-windows.ts";
import { noModel, pageAddress, startServer } from "./vscode-server.ts";
import type { Edition } from "./vscode-versions.ts";
import { longestWait } from "./wait.ts";
import { openPage, type PageOptions, type VSCodeWindow } from "./window/vscode-window.ts";

export type { VSCodeWindow } from "./window/vscode-window.ts";

/** What a window is to show. */
export interface WindowOptions {
  /** "development" (the default) is the project as built in dist; else an extension's folder or a .vsix. */
  extension?: string;
  /** The folder to open; by default a new empty one. */
  workspace?: string;
  /** The data folder of an earlier VS Code that was closed with `keep`: opens that one again, with its secrets and its port. */
  dataFolder?: string;
  /** Machine settings added to the quiet ones. VS Code ignores those of application scope there. */
  settings?: Record<string, unknown>;
  /** Added to the extension host's environment. */
  env?: NodeJS.ProcessEnv;
  edition?: Edition;
  /** In pixels; by default 1280 × 800. */
  size?: { width: number; height: number };
}

/** Kept in a data folder so that the same VS Code can be opened again: a browser stores data by address. */
interface Kept {
  port: number;
  /** Base64 of the 32 bytes with which VS Code in a browser encrypts its secrets. */
  secretKey: string;
}

/**
 * Starts a separate VS Code and opens a window in it. Always close it; windows that a test leaves open are closed at the end of
 * the run.
 */
export async function openWindow(options: WindowOptions = {}): Promise<VSCodeWindow> {
  const dataFolder = options.dataFolder ?? temporaryFolder("window");
  const keptFile = path.join(dataFolder, "kept.json");
  const kept = existsSync(keptFile)
    ? (JSON.parse(readFileSync(keptFile, "utf8")) as Kept)
    : undefined;
  const extension = options.extension ?? "development";
  const { env, edition, settings } = options;
  const server = await startServer({
    dataFolder,
    extension: extension === "development" ? projectFolder : extension,
    ...(kept && { port: kept.port }),
    env: { ...noModel, ...env },
    ...(edition && { edition }),
    ...(settings && { settings }),
  });
  const secretKey = kept?.secretKey ?? randomBytes(32).toString("base64");
  writeFileSync(keptFile, JSON.stringify({ port: server.port, secretKey } satisfies Kept));
  try {
    const context = await openBrowser(dataFolder, options.size);
    await answerSecretKey(context, server.authority, Buffer.from(secretKey, "base64"));
    const workspace = options.workspace ?? temporaryFolder("workspace");
    const closeAll = async (isKept: boolean): Promise<void> => {
      await saveEvidenceOfFailure();
      await context.close();
      await server.stop();
      if (!isKept) rmSync(dataFolder, { recursive: true, force: true });
    };
    return await openPage({
      server,
      context,
      closeAll,
      addressOf: (folder) => pageAddress(server.authority, folder),
      workspace,
    });
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/**
 * Opens a window on a VS Code that something else started and will end, such as `npm start`.
 * Closing the window closes the browser alone.
 */
export async function openAddress(
  address: string,
  server: PageOptions["server"],
): Promise<VSCodeWindow> {
  const context = await openBrowser(server.dataFolder);
  const closeAll = async (): Promise<void> => {
    await saveEvidenceOfFailure();
    await context.close();
  };
  return openPage({ server, context, closeAll, addressOf: () => address, workspace: "" });
}

/** A browser with its profile in the data folder, so that VS Code finds its secrets again. */
async function openBrowser(
  dataFolder: string,
  size = { width: 1280, height: 800 },
): Promise<BrowserContext> {
  const context = await chromium.launchPersistentContext(path.join(dataFolder, "browser"), {
    executablePath: await ensureBrowser(),
    args: browserFlags,
    viewport: size,
    locale: "en-GB",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(longestWait);
  return context;
}

/** Half of the key to the secrets comes from the server in a hosted VS Code; the bare server has no such route. */
async function answerSecretKey(
  context: BrowserContext,
  authority: string,
  key: Buffer,
): Promise<void> {
  await context.route("**/mint-key", (route) =>
    route.fulfill({ body: key, contentType: "application/octet-stream" }),
  );
  await context.addCookies([
    { name: "vscode-secret-key-path", value: "/mint-key", url: `http://${authority}` },
  ]);
}
