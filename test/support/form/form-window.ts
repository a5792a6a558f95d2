import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { systemClock } from "../../../src/base/clock.ts";
import type { CrewInputs, KickoffRequest } from "../../../src/api/types.ts";
import type { Execution } from "../../../src/executions/model.ts";
import type { Seed } from "../../../src/kickoff/form/content.ts";
import type {
  Draft,
  FormCrew,
  FormToolName,
  Taken,
  ToForm,
} from "../../../src/kickoff/form/messages.ts";
import { formPage } from "../../../src/kickoff/form/html.ts";
import { keptDraft } from "../../../src/kickoff/form/secrets.ts";
import { FormSession } from "../../../src/kickoff/form/session.ts";
import type { Prefill } from "../../../src/kickoff/callbacks.ts";
import { formTexts } from "../../../src/kickoff/texts.ts";
import { projectFolder } from "../folders.ts";
import { longestWait } from "../wait.ts";

declare global {
  interface Window {
    /** Defined by {@link FormWindow.open}. */
    readonly toHost: (message: unknown) => void;
  }
}

interface Theme {
  readonly bodyClass: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** What VS Code 1.139 gives a webview's page in each theme (read from its server). */
export const themes = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "themes.json"), "utf8"),
) as Readonly<Record<string, Theme>>;

/** The kickoff form in its own page: the built page, script and style with the real session; VS Code's part is simulated. */
export class FormWindow {
  readonly page: Page;
  readonly session: FormSession;
  readonly sent: KickoffRequest[] = [];
  /** What was written to disk. */
  readonly saved: Draft[] = [];
  readonly started: Execution[] = [];
  readonly opened: (Execution | undefined)[] = [];
  /** Errors in the page's console: policy violations and script errors. */
  readonly complaints: string[] = [];
  /** Whether writing to disk succeeds. */
  keeps = true;
  inputs: () => Promise<CrewInputs>;
  send: () => Promise<Execution>;
  /** The tools that were called, in order, with their arguments. */
  readonly asked: (readonly [FormToolName, Prefill | undefined])[] = [];
  /** What "Presets…" returns. */
  preset: Prefill | undefined;
  /** What "Fill In From…" returns. */
  taken: Promise<Taken | undefined> = Promise.resolve(undefined);
  readonly problems: unknown[] = [];
  readonly #server: Server;

  private constructor(page: Page, server: Server, crew: FormCrew, options: FormWindowOptions) {
    this.page = page;
    this.#server = server;
    this.inputs = options.inputs;
    this.send = options.send;
    this.session = new FormSession(crew, options.seed ?? {}, {
      clock: systemClock,
      takesFocus: true,
      newId: randomUUID,
      memory: {
        saveDraft: (_, draft) => this.saved.push(keptDraft(draft)),
        dropDraft: () => undefined,
        sent: () => undefined,
        keeps: () => this.keeps,
      },
      inputs: () => this.inputs(),
      send: (request) => {
        this.sent.push(request);
        return this.send();
      },
      post: (message) => void this.#post(message),
      onStarted: (execution) => this.started.push(execution),
      onOpenExecution: (execution) => this.opened.push(execution),
      tools: {
        presets: (_, request) =>
          Promise.resolve(this.asked.push(["presets", request])).then(() => this.preset),
        saveAsRequestFile: (_, request) =>
          Promise.resolve(void this.asked.push(["saveAsRequestFile", request])),
        copyAsCurl: (_, request) => Promise.resolve(void this.asked.push(["copyAsCurl", request])),
        takeValue: () => this.taken,
      },
      onToolProblem: (error) => this.problems.push(error),
      onAction: () => undefined,
    });
  }

  /** Opens the form and waits until it shows the crew's inputs. */
  static async open(browser: Browser, options: FormWindowOptions): Promise<FormWindow> {
    const page = await browser.newPage({ viewport: options.size ?? { width: 900, height: 800 } });
    page.setDefaultTimeout(longestWait);
    const server = await serve();
    const crew = {
      id: "url:https://travel.example",
      name: "Travel crew",
      url: "https://travel.example",
      ...options.crew,
    };
    const window = new FormWindow(page, server, crew, options);
    page.on("console", (message) => {
      if (message.type() === "error") window.complaints.push(message.text());
    });
    page.on("pageerror", (error) => window.complaints.push(error.message));
    await page.exposeFunction("toHost", (message: unknown) => window.#receive(message));
    await page.addInitScript(playVSCode, themes[options.theme ?? "Dark Modern"] ?? missing());
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    void window.session.load({ fresh: false, startsCrew: false });
    return window;
  }

  /** Replaces the page as VS Code does when a panel is hidden and shown again: only the kept state remains. */
  async hideAndShow(): Promise<void> {
    await this.page.reload();
  }

  async close(): Promise<void> {
    await this.page.close();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #receive(message: unknown): void {
    if ((message as { type?: unknown }).type === "ready")
      void this.#post({ type: "texts", texts: formTexts() });
    if (!this.session.receive(message))
      this.complaints.push(`not understood: ${JSON.stringify(message)}`);
  }

  async #post(message: ToForm): Promise<void> {
    await this.page.evaluate((data) => window.postMessage(data, "*"), message);
  }
}

/** What a form is opened with. */
export interface FormWindowOptions {
  readonly inputs: () => Promise<CrewInputs>;
  readonly send: () => Promise<Execution>;
  readonly seed?: Seed;
  readonly theme?: string;
  readonly size?: { readonly width: number; readonly height: number };
  readonly crew?: Partial<FormCrew>;
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

async function serve(): Promise<Server> {
  const folder = path.join(projectFolder, "dist", "webview");
  if (!existsSync(path.join(folder, "form.js")))
    throw new Error("The form is not built. Run: npm run build");
  const server = createServer((request, response) => {
    const origin = `http://${request.headers.host ?? ""}`;
    if (request.url === "/form.js")
      response
        .setHeader("Content-Type", "text/javascript")
        .end(readFileSync(path.join(folder, "form.js")));
    else if (request.url === "/form.css")
      response
        .setHeader("Content-Type", "text/css")
        .end(readFileSync(path.join(folder, "form.css")));
    else if (request.url !== "/") response.writeHead(204).end();
    else
      response.setHeader("Content-Type", "text/html").end(
        formPage({
          language: "en",
          title: "Kick off",
          nonce: randomUUID(),
          cspSource: origin,
          scriptUri: "/form.js",
          styleUri: "/form.css",
        }),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function missing(): never {
  throw new Error("There is no such theme in themes.json.");
}
