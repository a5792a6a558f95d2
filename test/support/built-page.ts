import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { webviewHtml } from "../../src/editor/webview-html.ts";
import { browserFlags, ensureBrowser } from "./browser.ts";
import { projectFolder } from "./folders.ts";
import { longestWait } from "./wait.ts";

declare global {
  interface Window {
    /** Defined by {@link BuiltPage.load}. */
    readonly toHost: (message: unknown) => void;
  }
}

interface Theme {
  readonly bodyClass: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** The browser for the tests of a `describe`. Closes the page of each test, and fails if its console had errors. */
export function browserFor(
  pageOf: () => { readonly complaints: readonly string[]; close(): Promise<void> } | undefined,
): () => Browser {
  let browser: Browser | undefined;
  before(async () => {
    browser = await chromium.launch({ executablePath: await ensureBrowser(), args: browserFlags });
  });
  after(async () => {
    await browser?.close();
  });
  afterEach(async () => {
    const page = pageOf();
    await page?.close();
    assert.deepEqual(page?.complaints ?? [], [], "what the console complained of");
  });
  return () => {
    assert.ok(browser !== undefined, "the browser runs");
    return browser;
  };
}

/** What VS Code 1.139 gives a webview's page in each theme (read from its server). */
export const themes = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "themes.json"), "utf8"),
) as Readonly<Record<string, Theme>>;

export interface BuiltPageOptions {
  readonly name: "form" | "timeline" | "page" | "comparison";
  readonly theme?: string;
  readonly size?: { readonly width: number; readonly height: number };
}

/** A page of a webview as built, with its script, style and policy; VS Code's part is simulated. */
export class BuiltPage {
  readonly page: Page;
  /** Errors in the page's console: policy violations and script errors. */
  readonly complaints: string[] = [];
  readonly #server: Server;
  readonly #theme: string;

  private constructor(page: Page, server: Server, theme: string) {
    this.page = page;
    this.#server = server;
    this.#theme = theme;
  }

  static async open(
    browser: Browser,
    { name, theme = "Dark Modern", size = { width: 900, height: 800 } }: BuiltPageOptions,
  ): Promise<BuiltPage> {
    const page = await browser.newPage({ viewport: size });
    page.setDefaultTimeout(longestWait);
    const built = new BuiltPage(page, await serve(name), theme);
    page.on("console", (message) => {
      if (message.type() === "error") built.complaints.push(message.text());
    });
    page.on("pageerror", (error) => built.complaints.push(error.message));
    return built;
  }

  async load(receive: (message: unknown) => void): Promise<void> {
    const { page } = this;
    await page.exposeFunction("toHost", receive);
    await page.addInitScript(playVSCode, themes[this.#theme] ?? missing());
    await page.goto(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`);
  }

  async post(message: unknown): Promise<void> {
    await this.page.evaluate((data) => window.postMessage(data, "*"), message);
  }

  async close(): Promise<void> {
    await this.page.close();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Runs in the page before its own script: defines VS Code's functions and applies the theme as VS Code does. */
function playVSCode({ bodyClass, variables }: Theme): void {
  const { toHost } = window;
  Object.assign(window, {
    acquireVsCodeApi: () => ({
      postMessage: toHost,
      setState: (state: unknown) => sessionStorage.setItem("state", JSON.stringify(state)),
      getState: (): unknown => JSON.parse(sessionStorage.getItem("state") ?? "null") ?? undefined,
    }),
  });
  document.addEventListener("DOMContentLoaded", () => {
    for (const [name, value] of Object.entries(variables))
      document.documentElement.style.setProperty(name, value);
    document.body.className = bodyClass;
  });
}

async function serve(name: string): Promise<Server> {
  const folder = path.join(projectFolder, "dist", "webview");
  if (!existsSync(path.join(folder, `${name}.js`)))
    throw new Error(`The ${name} is not built. Run: npm run build`);
  const server = createServer((request, response) => {
    const origin = `http://${request.headers.host ?? ""}`;
    const types: Readonly<Record<string, string>> = { js: "text/javascript", css: "text/css" };
    const [, file, ending = ""] =
      /^\/((?:chunks\/)?[\w-]+\.(js|css))$/.exec(request.url ?? "") ?? [];
    if (file !== undefined)
      response
        .setHeader("Content-Type", types[ending] ?? "")
        .end(readFileSync(path.join(folder, file)));
    else if (request.url !== "/") response.writeHead(204).end();
    else
      response.setHeader("Content-Type", "text/html").end(
        webviewHtml({
          language: "en",
          title: name,
          nonce: randomUUID(),
          cspSource: origin,
          scriptUri: `/${name}.js`,
          styleUri: `/${name}.css`,
        }),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function missing(): never {
  throw new Error("There is no such theme in themes.json.");
}
