import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { projectFolder } from "../folders.ts";
import { rememberWindow, type OpenWindow } from "../open-windows.ts";
import { signal } from "../processes.ts";
import { readSettings, writeSettings, type VSCodeServer } from "../vscode-server.ts";
import { waitFor } from "../wait.ts";
import { Editor } from "./editor.ts";
import { Messages } from "./messages.ts";
import { QuickInput } from "./quick-input.ts";
import { Tree } from "./tree.ts";
import { Webview } from "./webview.ts";

/** A built-in theme of VS Code, and the class of the workbench's element while it is active. */
const themes = {
  "Default Light Modern": "light_modern",
  "Default Dark Modern": "dark_modern",
  "Default High Contrast": "hc_black",
  "Default High Contrast Light": "hc_light",
};

/** A theme's name in the setting `workbench.colorTheme`. */
export type ThemeName = keyof typeof themes;

export interface PageOptions {
  server: Pick<VSCodeServer, "dataFolder" | "logFile" | "extensionHosts">;
  context: BrowserContext;
  workspace: string;
  addressOf(folder: string): string;
  /** Ends browser and server; keeps the data folder if asked. */
  closeAll(isKept: boolean): Promise<void>;
}

/** One window of a real VS Code, driven as a person drives it. Open one with `openWindow`. */
export class VSCodeWindow implements OpenWindow {
  readonly page: Page;
  readonly quickInput: QuickInput;
  readonly tree: Tree;
  readonly editor: Editor;
  readonly messages: Messages;
  readonly webview: Webview;
  readonly workspace: string;
  readonly #options: PageOptions;
  readonly #isFirst: boolean;
  readonly #console: string[] = [];
  #extensionHost = 0;

  constructor(page: Page, options: PageOptions, isFirst: boolean) {
    this.page = page;
    this.quickInput = new QuickInput(page);
    this.tree = new Tree(page);
    this.editor = new Editor(page);
    this.messages = new Messages(page);
    this.webview = new Webview(page, "editor");
    this.workspace = options.workspace;
    this.#options = options;
    this.#isFirst = isFirst;
    page.on("console", (message) => this.#console.push(`${message.type()}: ${message.text()}`));
    // Unsent text must not keep the page open.
    page.on("dialog", (dialog) => void dialog.accept());
    // Closing the first window closes all windows of its VS Code.
    page.once("close", rememberWindow(this));
  }

  /** Where this VS Code stores everything; after `close({ isKept: true })`, another `openWindow` can use it. */
  get dataFolder(): string {
    return this.#options.server.dataFolder;
  }

  get extensionHost(): number {
    return this.#extensionHost;
  }

  /** Process ids of the extension hosts of all windows of this VS Code, which starts another one after a kill. */
  extensionHosts(): number[] {
    return this.#options.server.extensionHosts();
  }

  async load(): Promise<void> {
    await this.#withNewExtensionHost(() => this.page.goto(this.#options.addressOf(this.workspace)));
  }

  async reload(): Promise<void> {
    await this.#withNewExtensionHost(() => this.page.reload());
  }

  runCommand(title: string): Promise<void> {
    return this.quickInput.runCommand(title);
  }

  /** Opens a second window of the same VS Code, on the same folder if none is named. */
  secondWindow(workspace = this.workspace): Promise<VSCodeWindow> {
    return openPage({ ...this.#options, workspace }, false);
  }

  setSettings(settings: Record<string, unknown>): void {
    writeSettings(this.dataFolder, settings);
  }

  async setTheme(name: ThemeName): Promise<void> {
    this.setSettings({
      ...readSettings(this.dataFolder),
      "workbench.colorTheme": name,
      "window.autoDetectColorScheme": false,
    });
    await this.page.locator(`.monaco-workbench[class*="${themes[name]}"]`).waitFor();
  }

  /** Writes a picture of the window to out/screenshots/<name>.png, or into the folder that CREWDECK_SCREENSHOTS names. @returns the file */
  async screenshot(name: string): Promise<string> {
    const file = path.join(
      projectFolder,
      process.env["CREWDECK_SCREENSHOTS"] ?? "out/screenshots",
      `${name}.png`,
    );
    await this.page.screenshot({ path: file });
    return file;
  }

  async saveEvidence(folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "console.log"), this.#console.join("\n"));
    cpSync(this.#options.server.logFile, path.join(folder, "server.log"));
    if (!this.page.isClosed())
      await this.page.screenshot({ path: path.join(folder, "screenshot.png") });
  }

  /**
   * Closes this window. With the first window of a VS Code everything ends, to the last process;
   * `isKept` keeps the data folder for another `openWindow`.
   */
  async close({ isKept = false } = {}): Promise<void> {
    if (this.#isFirst) {
      await this.#options.closeAll(isKept);
    } else if (!this.page.isClosed()) {
      await this.page.close();
      await this.#endExtensionHost();
    }
  }

  async #withNewExtensionHost(open: () => Promise<unknown>): Promise<void> {
    const { server } = this.#options;
    const before = server.extensionHosts();
    await open();
    // The workbench sets this mark when extensions' commands and views are known.
    await this.page.waitForFunction(
      () => performance.getEntriesByName("code/didLoadExtensions").length > 0,
    );
    this.#extensionHost = await waitFor("the extension host", () =>
      server.extensionHosts().find((pid) => !before.includes(pid)),
    );
  }

  /** A closed window ends its extension host unless that was still starting; ends it here in that case. */
  async #endExtensionHost(): Promise<void> {
    const isGone = (): boolean =>
      !this.#options.server.extensionHosts().includes(this.#extensionHost);
    await waitFor("the extension host to end", isGone, 5_000).catch(() =>
      signal(this.#extensionHost, "SIGKILL"),
    );
    await waitFor("the extension host to end", isGone);
  }
}

export async function openPage(options: PageOptions, isFirst = true): Promise<VSCodeWindow> {
  const [blank] = isFirst ? options.context.pages() : [];
  const window = new VSCodeWindow(blank ?? (await options.context.newPage()), options, isFirst);
  await window.load();
  return window;
}
