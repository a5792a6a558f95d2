import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { chromium, type Page } from "playwright-core";
import { webviewHtml } from "../../src/editor/webview-html.ts";
import { browserFlags, ensureBrowser } from "./browser.ts";
import { projectFolder } from "./folders.ts";
import { HttpServer } from "./http-server.ts";
import { rememberWindow } from "./open-windows.ts";
import { longestWait } from "./wait.ts";

declare global {
  interface Window {
    readonly toHost: (message: unknown) => void;
    readonly applyTheme: (name: string) => void;
  }
}

interface Theme {
  readonly bodyClass: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Closes the page of each test of a `describe`, and fails if its console had errors. */
export function eachWithPage(
  pageOf: () => { readonly complaints: readonly string[]; close(): Promise<void> } | undefined,
): void {
  afterEach(async () => {
    const page = pageOf();
    await page?.close();
    assert.deepEqual(page?.complaints ?? [], [], "what the console complained of");
  });
}

/** What VS Code 1.139 gives a webview's page in each theme (read from its server). */
export const themes = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "themes.json"), "utf8"),
) as Readonly<Record<string, Theme>>;

export interface BuiltPageOptions {
  readonly name: "form" | "timeline" | "page" | "comparison" | "batch";
  readonly theme?: string;
  readonly size?: { readonly width: number; readonly height: number };
  readonly translations?: Readonly<Record<string, string>> | undefined;
}

/**
 * A page of a webview as built, with its script, style and policy; VS Code's part is simulated. All tests of a process share one page of
 * one browser, one after the other: a page of its own takes five times as long.
 */
export class BuiltPage {
  static #opening: Promise<Shared> | undefined;
  static #count = 0;
  readonly page: Page;
  readonly complaints: string[] = [];
  readonly #shared: Shared;
  readonly #address: string;

  private constructor(shared: Shared, address: string) {
    this.page = shared.page;
    this.#shared = shared;
    this.#address = address;
  }

  static async open({
    name,
    theme = "Dark Modern",
    size = { width: 900, height: 800 },
    translations,
  }: BuiltPageOptions): Promise<BuiltPage> {
    const shared = await (this.#opening ??= openShared());
    const opened = encodeURIComponent(JSON.stringify({ theme, count: ++this.#count }));
    shared.translations = translations;
    const built = new BuiltPage(shared, `${shared.url}/${name}#${opened}`);
    shared.complain = (text) => built.complaints.push(text);
    await shared.page.setViewportSize(size);
    // Where an earlier test left the mouse, the page may show a tooltip.
    await shared.page.mouse.move(0, 0);
    return built;
  }

  async load(receive: (message: unknown) => void): Promise<void> {
    this.#shared.receive = receive;
    await this.page.goto(this.#address);
  }

  async setTheme(theme: string): Promise<void> {
    await this.page.evaluate((name) => window.applyTheme(name), theme);
  }

  async post(message: unknown): Promise<void> {
    await this.page.evaluate((data) => window.postMessage(data, "*"), message);
  }

  async close(): Promise<void> {
    this.#shared.receive = () => undefined;
    await this.page.goto("about:blank");
  }
}

interface Shared {
  readonly page: Page;
  readonly url: string;
  receive(message: unknown): void;
  complain(text: string): void;
  translations: BuiltPageOptions["translations"];
}

/** Starts browser and server; both end with the tests. */
async function openShared(): Promise<Shared> {
  const server = serve(() => shared.translations);
  server.isShared = true;
  const browser = await chromium.launch({
    executablePath: await ensureBrowser(),
    args: browserFlags,
  });
  const page = await browser.newPage();
  page.setDefaultTimeout(longestWait);
  const shared: Shared = {
    page,
    url: await server.start(),
    receive: () => undefined,
    complain: () => undefined,
    translations: undefined,
  };
  page.on("console", (message) => {
    if (message.type() === "error") shared.complain(message.text());
  });
  page.on("pageerror", (error) => shared.complain(error.message));
  await page.exposeFunction("toHost", (message: unknown) => shared.receive(message));
  await page.addInitScript(playVSCode, themes);
  const forget = rememberWindow({
    saveEvidence: async (folder) => {
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: path.join(folder, "screenshot.png") });
    },
    close: async () => {
      forget();
      await browser.close();
      await server.stop();
    },
  });
  return shared;
}

/** Runs in the page before its own script: defines VS Code's functions and applies the theme as VS Code does. */
function playVSCode(themes: Readonly<Record<string, Theme>>): void {
  // Not in the empty page between two tests.
  if (location.protocol !== "http:") return;
  // Another test's page, not the same one again.
  if (sessionStorage.getItem("opened") !== location.hash) {
    sessionStorage.clear();
    localStorage.clear();
    sessionStorage.setItem("opened", location.hash);
  }
  const { toHost } = window;
  const applyTheme = (name: string): void => {
    const theme = themes[name];
    if (theme === undefined) throw new Error(`themes.json has no theme “${name}”.`);
    document.documentElement.removeAttribute("style");
    for (const [name, value] of Object.entries(theme.variables))
      document.documentElement.style.setProperty(name, value);
    document.body.className = theme.bodyClass;
  };
  Object.assign(window, {
    applyTheme,
    acquireVsCodeApi: () => ({
      postMessage: toHost,
      setState: (state: unknown) => sessionStorage.setItem("state", JSON.stringify(state)),
      getState: (): unknown => JSON.parse(sessionStorage.getItem("state") ?? "null") ?? undefined,
    }),
  });
  const opened = JSON.parse(decodeURIComponent(location.hash.slice(1))) as { theme: string };
  document.addEventListener("DOMContentLoaded", () => applyTheme(opened.theme));
}

function serve(translations: () => object | undefined): HttpServer {
  const folder = path.join(projectFolder, "dist", "webview");
  return new HttpServer((request, response) => {
    const origin = `http://${request.headers.host ?? ""}`;
    const types: Readonly<Record<string, string>> = { js: "text/javascript", css: "text/css" };
    const [, file = "", ending] =
      /^\/((?:chunks\/)?[\w-]+(?:\.(js|css))?)$/.exec(request.url ?? "") ?? [];
    if (ending !== undefined)
      response
        .setHeader("Content-Type", types[ending] ?? "")
        .end(readFileSync(path.join(folder, file)));
    else if (!existsSync(path.join(folder, `${file}.js`))) response.writeHead(204).end();
    else
      response.setHeader("Content-Type", "text/html").end(
        webviewHtml({
          language: "en",
          title: file,
          nonce: randomUUID(),
          cspSource: origin,
          scriptUri: `/${file}.js`,
          styleUri: `/${file}.css`,
          translations: translations(),
        }),
      );
  });
}
