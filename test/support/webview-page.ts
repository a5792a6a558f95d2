import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { formPage } from "../../src/kickoff/form/html.ts";
import { projectFolder } from "./folders.ts";
import { longestWait } from "./wait.ts";

interface Theme {
  readonly bodyClass: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** What VS Code 1.139 gives a webview's page in each theme (read from its server). */
export const themes = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "form", "themes.json"), "utf8"),
) as Readonly<Record<string, Theme>>;

export interface WebviewOptions {
  readonly theme?: string | undefined;
  readonly size?: { readonly width: number; readonly height: number } | undefined;
}

/** A webview's built page, script and style in a browser; VS Code's part is simulated. */
export class WebviewPage {
  readonly page: Page;
  /** Errors in the page's console: policy violations and script errors. */
  readonly complaints: string[] = [];
  readonly #server: Server;

  private constructor(page: Page, server: Server) {
    this.page = page;
    this.#server = server;
  }

  /** @param name of script and style in `dist/webview` */
  static async open(
    browser: Browser,
    name: "form" | "page",
    onMessage: (message: unknown) => void,
    { theme = "Dark Modern", size = { width: 900, height: 800 } }: WebviewOptions,
  ): Promise<WebviewPage> {
    const page = await browser.newPage({ viewport: size });
    page.setDefaultTimeout(longestWait);
    const server = await serve(name);
    const opened = new WebviewPage(page, server);
    page.on("console", (message) => {
      if (message.type() === "error") opened.complaints.push(message.text());
    });
    page.on("pageerror", (error) => opened.complaints.push(error.message));
    await page.exposeFunction("toHost", onMessage);
    await page.addInitScript(playVSCode, themes[theme] ?? missing());
    return opened;
  }

  async load(): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    await this.page.goto(`http://127.0.0.1:${port}/`);
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
  const { toHost } = window as unknown as { toHost: (message: unknown) => void };
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
    throw new Error("The webviews are not built. Run: npm run build");
  const server = createServer((request, response) => {
    const origin = `http://${request.headers.host ?? ""}`;
    const file = (extension: string) => readFileSync(path.join(folder, `${name}.${extension}`));
    if (request.url === `/${name}.js`)
      response.setHeader("Content-Type", "text/javascript").end(file("js"));
    else if (request.url === `/${name}.css`)
      response.setHeader("Content-Type", "text/css").end(file("css"));
    else if (request.url !== "/") response.writeHead(204).end();
    else
      response.setHeader("Content-Type", "text/html; charset=utf-8").end(
        formPage({
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
