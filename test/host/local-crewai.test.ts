import assert from "node:assert/strict";
import { cp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { UserError } from "../../src/base/errors.ts";
import type { Crew } from "../../src/crews/types.ts";
import { needsCrewai, newestCrewai, pythonWith } from "../support/crewai.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { startModelServer } from "../support/model-server.ts";
import { waitFor } from "../support/wait.ts";
import { withReplaced } from "./extension.ts";
import { localWindow, type LocalWindow } from "./local-window.ts";
import { MemorySecrets } from "./memory.ts";

/** How long crewAI may take to import and to load a project on a busy machine (ms). */
const loadingMs = 120_000;

describe("a project that runs with crewAI", () => {
  needsCrewai();
  const project = path.join(vscode.workspace.workspaceFolders![0]!.uri.fsPath, "declared");
  let storage: string;
  let secrets: MemorySecrets;
  let windows: LocalWindow[];
  let model: Awaited<ReturnType<typeof startModelServer>>;
  /** Whether the model answers. */
  let gate: Promise<void>;
  let openGate: (() => void) | undefined;
  let python: string;
  let hasOpen: boolean;

  before(async () => (python = await pythonWith(newestCrewai)));

  beforeEach(async () => {
    [gate, hasOpen] = [Promise.resolve(), false];
    model = await startModelServer(async () => {
      await gate;
      return "A text.";
    });
    storage = await realpath(temporaryFolder("crewai"));
    [secrets, windows] = [new MemorySecrets(), []];
    await cp(path.join(projectFolder, "test/fixtures/crewai/declared"), project, {
      recursive: true,
    });
    await symlink(path.dirname(path.dirname(python)), path.join(project, ".venv"));
    await writeFile(
      path.join(project, ".env"),
      `OPENAI_BASE_URL=${model.url}\nOPENAI_API_BASE=${model.url}\nOPENAI_API_KEY=key\n`,
    );
  });

  afterEach(async () => {
    openGate?.();
    for (const { locals } of windows)
      for (const { local } of locals.list())
        if (local?.running === true) await locals.stop({ folder: project }).catch(() => undefined);
    for (const window of windows) window.end();
    await model.stop();
    for (const folder of [storage, project])
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  async function newWindow() {
    const window = await localWindow(storage, secrets, () => hasOpen);
    windows.push(window);
    return window;
  }

  async function start({ locals }: LocalWindow): Promise<Crew> {
    const crew = await locals.start({ folder: project });
    assert.ok(crew);
    return crew;
  }

  it("runs with crewAI as soon as its project is set up", async () => {
    const environment = path.join(project, ".venv");
    await rm(environment);
    const window = await newWindow();
    const crew = await start(window);
    assert.equal(crew.local?.engine, "rehearsal");
    await symlink(path.dirname(path.dirname(python)), environment);
    await window.locals.stop({ folder: project });
    const { engine, running } = (await window.locals.setUp(crew.id))?.local ?? {};
    assert.deepEqual([engine, running], ["crewai", true]);
  });

  it("is rehearsed in Restricted Mode, and runs with crewAI as soon as the workspace is trusted", async () => {
    const { workspace } = vscode;
    const names = ["isTrusted", "onDidGrantWorkspaceTrust"] as const;
    const real = names.map(
      (name) => [name, Object.getOwnPropertyDescriptor(workspace, name)!] as const,
    );
    const granted = new vscode.EventEmitter<void>();
    let isTrusted = false;
    Object.defineProperties(workspace, {
      isTrusted: { get: () => isTrusted, configurable: true },
      onDidGrantWorkspaceTrust: { value: granted.event, configurable: true },
    });
    try {
      const window = await newWindow();
      const crew = await start(window);
      assert.equal(crew.local?.engine, "rehearsal");
      assert.match(crew.local.engineNote ?? "", /Restricted Mode/);
      isTrusted = true;
      granted.fire();
      await waitFor("crewAI", () => {
        const local = window.locals.list()[0]?.local;
        return local?.engine === "crewai" && local.running;
      });
    } finally {
      Object.defineProperties(workspace, Object.fromEntries(real));
    }
  });

  it("keeps the engine that a person chooses, and starts the service again at its address", async () => {
    const window = await newWindow();
    const crew = await start(window);
    const changed = await window.locals.changeEngine(crew.id, "rehearsal");
    assert.deepEqual([changed?.local?.engine, changed?.url], ["rehearsal", crew.url]);
    assert.equal(changed?.local?.engineNote, undefined);
    await window.locals.stop({ folder: project });
    assert.equal((await start(window)).local?.engine, "rehearsal");
    assert.equal(
      (await window.locals.start({ folder: project, engine: "crewai" }))?.local?.engine,
      "crewai",
    );
  });

  it("refuses to start without crewAI while its executions need it, and is rehearsed otherwise", async () => {
    const window = await newWindow();
    await start(window);
    await window.locals.stop({ folder: project });
    await rm(path.join(project, ".venv"));
    hasOpen = true;
    await assert.rejects(
      start(window),
      (error) =>
        error instanceof UserError &&
        /did not start/.test(error.message) &&
        error.actions.some(({ command }) => command === "crewdeck.changeEngine"),
    );
    hasOpen = false;
    const { local } = await start(window);
    assert.equal(local?.engine, "rehearsal");
    assert.match(local.engineNote ?? "", /crewAI is not installed|No Python/);
  });

  it("asks the model with its Python; what a restart interrupted is held until a person lets it continue in any window", async () => {
    const shown: string[][] = [];
    const messages = {
      showErrorMessage: () => Promise.resolve(undefined),
      showWarningMessage: (...texts: string[]) => (
        shown.push(texts),
        Promise.resolve("Decide Later")
      ),
    };
    await withReplaced(vscode.window, messages, async () => {
      gate = new Promise((resolve) => (openGate = resolve));
      const window = await newWindow();
      const crew = await start(window);
      assert.equal(
        crew.local?.engineNote,
        `crewAI ${newestCrewai}, ${path.join(project, ".venv", "bin", "python")}`,
      );
      const { kickoffId } = await (await window.crews.client(crew)).kickoff({ inputs: {} });
      await waitFor("a request to the model", () => model.requests.length > 0, loadingMs);
      assert.match(model.requests[0]?.prompt ?? "", /Write about tea/);
      const files = await readdir(storage, { recursive: true });
      const file = files.find((name) => path.basename(name) === "service.json") ?? "";
      const text = await readFile(path.join(storage, file), "utf8");
      process.kill((JSON.parse(text) as { pid: number }).pid, "SIGKILL");
      await waitFor("its end", () => window.locals.list()[0]?.local?.running === false);
      openGate?.();
      await start(window);
      const interrupted = await waitFor(
        "what is interrupted",
        () => window.locals.list()[0]?.local?.interrupted,
      );
      assert.deepEqual(interrupted, [kickoffId]);
      await waitFor("the question", () => shown.length > 0);
      assert.deepEqual(
        shown.map(([question = "", ...buttons]) => [question.split(". ", 1)[0], ...buttons]),
        [["A restart interrupted executions of “Declared”", "Continue", "Discard", "Decide Later"]],
      );
      assert.equal(model.requests.length, 1);

      const other = await newWindow();
      assert.deepEqual(other.locals.list()[0]?.local?.interrupted, [kickoffId]);
      await other.locals.decideInterrupted(crew.id, "continue", [kickoffId]);
      const draft = await waitFor(
        "the draft to wait",
        async () => (await (await window.crews.client(crew)).status(kickoffId)).waiting?.output,
        loadingMs,
      );
      assert.equal(draft, "A text.");
      await waitFor(
        "the row to know",
        () => window.locals.list()[0]?.local?.interrupted === undefined,
      );
      await assert.rejects(
        window.locals.decideInterrupted(crew.id, "discard", []),
        /no execution of “Declared” is interrupted now/,
      );
    });
  });
});
