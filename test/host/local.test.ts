import assert from "node:assert/strict";
import { cp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { CrewApiError } from "../../src/api/errors.ts";
import type { Crew } from "../../src/crews/types.ts";
import { resetContext } from "../../src/editor/manifest.ts";
import { actionsOf, messageOf, UserError } from "../../src/base/errors.ts";
import type { LocalCrews } from "../../src/local/local-crews.ts";
import { reportInterrupted } from "../../src/local/questions.ts";
import { watchProjects } from "../../src/local/projects.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { waitFor } from "../support/wait.ts";
import { untilSilent, withContext, withReplaced } from "./extension.ts";
import { localWindow, type LocalWindow } from "./local-window.ts";
import { MemorySecrets } from "./memory.ts";

async function refusal(start: Promise<unknown>): Promise<UserError> {
  const error: unknown = await start.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof UserError, String(error));
  return error;
}

describe("local crews", () => {
  const extension = vscode.extensions.getExtension("crewdeck.crewdeck")!.extensionUri;
  const example = vscode.Uri.joinPath(extension, "media", "example-crew").fsPath;
  let folder: string;
  let secrets: MemorySecrets;
  let windows: LocalWindow[];
  let open: Set<string>;

  beforeEach(async () => {
    folder = await realpath(temporaryFolder("local"));
    secrets = new MemorySecrets();
    windows = [];
    open = new Set();
  });

  afterEach(async () => {
    for (const { locals } of windows)
      for (const { local } of locals.list())
        if (local?.running === true) await locals.stop({ folder: local.folder });
    for (const window of [...windows]) await close(window);
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  async function newWindow() {
    const hasOpen = (id: string) => open.has(id);
    const window = await localWindow(path.join(folder, "storage"), secrets, hasOpen);
    windows.push(window);
    return window;
  }

  async function newWindowWithLog() {
    const lines: string[] = [];
    const { createOutputChannel } = vscode.window;
    const listened = (name: string) => ({
      ...createOutputChannel(name),
      appendLine: (line: string) => void lines.push(line),
    });
    const window = await withReplaced(vscode.window, { createOutputChannel: listened }, newWindow);
    return { window, lines };
  }

  async function close(window: LocalWindow): Promise<void> {
    windows.splice(windows.indexOf(window), 1);
    const urls = window.locals
      .list()
      .filter(({ local }) => local?.running)
      .map(({ url }) => url);
    window.end();
    // It leaves when the last window has gone, and nothing runs.
    if (windows.length === 0) for (const url of urls) await untilSilent(url);
  }

  async function pidOfService(): Promise<number> {
    const files = await readdir(folder, { recursive: true });
    const file = files.find((name) => path.basename(name) === "service.json");
    return (JSON.parse(await readFile(path.join(folder, file!), "utf8")) as { pid: number }).pid;
  }
  const killService = async () => process.kill(await pidOfService(), "SIGKILL");
  const localOf = ({ locals }: LocalWindow) => locals.list()[0]?.local;
  const untilRunning = (window: LocalWindow, is = true) =>
    waitFor(`the crew to run: ${is}`, () => localOf(window)?.running === is);
  /** The error messages during an action, to which a person gives this answer. */
  async function errorsDuring(action: (said: readonly string[]) => Promise<void>, answer?: string) {
    const said: string[] = [];
    const showErrorMessage = (message: string, ...buttons: string[]) => {
      said.push([message, ...buttons].join(" | "));
      return Promise.resolve(answer);
    };
    await withReplaced(vscode.window, { showErrorMessage }, () => action(said));
    return said;
  }

  async function copyOf(source: string, name = "project"): Promise<string> {
    const project = path.join(folder, name);
    await cp(source, project, { recursive: true });
    return project;
  }
  const copyOfExample = () => copyOf(example);
  const fixture = (name: string) => path.join(projectFolder, "test/fixtures", name);
  const tasksIn = (project: string) => path.join(project, "src/example_crew/config/tasks.yaml");
  const isInvalid =
    /^src\/example_crew\/config\/tasks\.yaml:\d+:\d+: There is no agent "nobody", only/;
  async function makeInvalid(project: string): Promise<void> {
    const text = await readFile(tasksIn(project), "utf8");
    await writeFile(tasksIn(project), text.replace(/agent: \w+/, "agent: nobody"));
  }
  const activeEditor = () => waitFor("the file", () => vscode.window.activeTextEditor);

  async function pick(locals: LocalCrews, description?: string) {
    let items: readonly vscode.QuickPickItem[] = [];
    let options: vscode.QuickPickOptions | undefined;
    const showQuickPick = async (
      offered: Thenable<vscode.QuickPickItem[]>,
      given: vscode.QuickPickOptions,
    ) => {
      [items, options] = [await offered, given];
      return description === undefined
        ? undefined
        : items.find((item) => item.description === description);
    };
    const crew = await withReplaced(vscode.window, { showQuickPick }, () => locals.start());
    return { crew, items, options };
  }

  async function startExample({ locals }: { locals: LocalCrews }): Promise<Crew> {
    const crew = await locals.start({ folder: example });
    assert.ok(crew);
    return crew;
  }

  /** As another window shows a crew: why it is rehearsed is known where it was started. */
  function seenElsewhere(crew: Crew) {
    const { engineNote, obstacle, ...local } = crew.local!;
    assert.match(engineNote ?? "", /^(No Python was found|crewAI is not installed)/);
    assert.equal(obstacle, "crewai");
    return { ...crew, local };
  }

  it("serves the example crew, connects it automatically and returns its inputs", async () => {
    const window = await newWindow();
    const seen: unknown[] = [];
    window.crews.onDidChange(() => {
      const { starting = false, running } = localOf(window) ?? {};
      seen.push(starting, running);
    });
    const crew = await startExample(window);
    assert.deepEqual([...seen.slice(0, 2), ...seen.slice(-2)], [true, false, false, true]);
    assert.equal(crew.id, "local:crewdeck:/example-crew");
    assert.equal(crew.name, "example_crew");
    assert.deepEqual(seenElsewhere(crew).local, {
      folder: vscode.Uri.file(example).toString(),
      engine: "rehearsal",
      running: true,
    });
    assert.deepEqual(
      window.crews.list().filter(({ local }) => local),
      [crew],
    );
    assert.deepEqual((await window.crews.inputs(crew)).fields.map(({ name }) => name).sort(), [
      "audience",
      "topic",
    ]);
  });

  it("serves each crew of a file with several: its own row, address and id, one token, and either is started by its class", async () => {
    const window = await newWindow();
    const project = await copyOf(fixture("shapes/several-crews"));
    const crew = await window.locals.start({ folder: project, crewClass: "EditCrew" });
    const id = `local:${vscode.Uri.file(project).toString()}`;
    assert.equal(crew?.id, `${id}#EditCrew`);
    const rows = () =>
      window.crews
        .list()
        .map(({ id, name, url, local }) => [id, name, new URL(url).pathname, local?.running]);
    const expected = (isRunning: boolean) => [
      [`${id}#DraftCrew`, "several-crews: DraftCrew", "/DraftCrew", isRunning],
      [`${id}#EditCrew`, "several-crews: EditCrew", "/EditCrew", isRunning],
    ];
    assert.deepEqual(rows(), expected(true));
    const inputsOf = async (one: Crew) =>
      (await window.crews.inputs(one, { fresh: true })).fields.map(({ name }) => name);
    assert.deepEqual(await inputsOf(crew), ["reader", "text"]);
    const draft = await window.locals.ensureRunning(`${id}#DraftCrew`);
    assert.deepEqual(await inputsOf(draft), ["topic"]);
    assert.equal(window.crews.get(id).id, draft.id, "the folder's id means the first");
    const none = await refusal(window.locals.start({ folder: project, crewClass: "Both" }));
    assert.match(none.message, /has these crews: DraftCrew, EditCrew\./);
    await window.locals.stop({ folder: project });
    assert.deepEqual(rows(), expected(false));
    const replaced: string[][] = [];
    window.crews.onDidReplace(({ from, to }) => replaced.push([from.id, to.id]));
    const file = path.join(project, "src/several_crews/crew.py");
    const text = await readFile(file, "utf8");
    await writeFile(file, text.slice(0, text.indexOf("@CrewBase", text.indexOf("@CrewBase") + 1)));
    const other = await newWindow();
    await window.locals.start({ folder: project });
    assert.deepEqual(rows(), [[id, "several-crews", "/", true]]);
    await writeFile(file, text);
    // The service that runs has read the file before.
    await other.locals.start({ folder: project });
    assert.deepEqual(rows(), [[id, "several-crews", "/", true]]);
    await window.locals.stop({ folder: project });
    await window.locals.start({ folder: project, crewClass: "EditCrew" });
    assert.deepEqual(rows(), expected(true));
    assert.deepEqual(replaced, [
      [`${id}#DraftCrew`, id],
      [`${id}#EditCrew`, id],
      [id, `${id}#DraftCrew`],
    ]);
    await window.locals.remove(crew.id);
    assert.deepEqual(rows(), []);
    assert.deepEqual([...secrets.kept.keys()], []);
  });

  it("writes nothing to the settings, and its tokens only to SecretStorage and, in a browser, to a file of this user", async () => {
    const window = await newWindow();
    await startExample(window);
    const tokens = [...secrets.kept.values()].flatMap((kept) =>
      [...kept.matchAll(/"(?:bearer|userBearer)":"([^"]+)"/g)].map(([, token]) => token ?? kept),
    );
    assert.equal(tokens.length, 2);
    assert.equal(
      JSON.stringify(vscode.workspace.getConfiguration("crewdeck").inspect("crews")).includes(
        "127.0.0.1",
      ),
      false,
    );
    for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const place = path.join(file.parentPath, file.name);
      const text = await readFile(place, "latin1");
      const isForBrowser = vscode.env.uiKind === vscode.UIKind.Web && file.name === "tokens.json";
      for (const token of tokens) assert.equal(text.includes(token), isForBrowser, file.name);
      if (isForBrowser) assert.equal((await stat(place)).mode & 0o777, 0o600);
    }
  });

  it("doesn't start automatically without open executions, or if it was stopped", async () => {
    const first = await newWindow();
    const crew = await startExample(first);
    await close(first);
    const second = await newWindow();
    await second.locals.restore();
    // A service that is ending looks alive for a moment.
    await untilRunning(second, false);
    await second.locals.ensureRunning(crew.id);
    const stopped = await second.locals.stop({ folder: example });
    assert.deepEqual(stopped?.local, { ...seenElsewhere(crew).local, running: false });
    await assert.rejects(fetch(crew.url));
    open.add(crew.id);
    await second.locals.restore();
    assert.equal(localOf(second)?.running, false);
  });

  it("names a workspace's project after its folder, and makes a second such name unique", async () => {
    const window = await newWindow();
    const project = await copyOfExample();
    await startExample(window);
    const crew = await window.locals.start({ folder: `${project}/` });
    assert.equal(crew?.id, `local:${vscode.Uri.file(project).toString()}`);
    assert.equal(crew.name, "example_crew 2");
    assert.equal(
      (await window.locals.start({ folder: vscode.Uri.file(project).toString() }))?.url,
      crew.url,
    );
    assert.equal(window.locals.list().length, 2);
  });

  it("reports once that a service was killed, and restarts it on request", async () => {
    const window = await newWindow();
    const crew = await startExample(window);
    const said = await errorsDuring(async (said) => {
      await killService();
      await waitFor("the message", () => said.length > 0);
      await untilRunning(window);
    }, "Start Again");
    assert.deepEqual(said, [
      "The local crew “example_crew” ended unexpectedly. Its executions are kept. | Start Again | Show Local Crew's Log",
    ]);
    assert.deepEqual(window.locals.list(), [crew]);
    assert.equal((await window.crews.inputs(crew, { fresh: true })).fields.length, 2);
  });

  it("starts a service again that was killed while executions are open, once", async () => {
    const window = await newWindow();
    const crew = await startExample(window);
    open.add(crew.id);
    const said = await errorsDuring(async (said) => {
      const first = await pidOfService();
      await killService();
      await untilRunning(window, false);
      await untilRunning(window);
      assert.notEqual(await pidOfService(), first);
      assert.deepEqual(said, []);
      await killService();
      await waitFor("the message", () => said.length > 0);
    });
    assert.match(said.join("\n"), /^The local crew “example_crew” ended unexpectedly\.[^\n]*$/);
    assert.equal(localOf(window)?.running, false);
  });

  it("names what was interrupted, and decides about that only; not what is stopped or decided meanwhile", async () => {
    const said: unknown[] = [];
    const showWarningMessage = (text: string) => (said.push(text), Promise.resolve("Continue"));
    const titleOf = (id: string) => (id === "k1" ? "Sea otters" : undefined);
    const project = {
      name: "Mine",
      connection: { held: ["k1", "k2"] },
      decide: (...given: unknown[]) => Promise.resolve([said.push(given)].map(String)),
    };
    const report = () =>
      withReplaced(vscode.window, { showWarningMessage }, async () => {
        const reported = reportInterrupted(project, titleOf);
        // By a stop, for which the service was started.
        project.connection = { held: project.connection.held.slice(0, -1) };
        await reported;
      });
    await report();
    assert.deepEqual(said.splice(0), [
      "A restart interrupted executions of “Mine”. Continuing repeats what was interrupted, which can cost money: Sea otters",
      ["continue", ["k1"]],
    ]);
    await report();
    assert.deepEqual(said, []);
  });

  it("shows why a crew failed, also in a later window, until it runs again", async () => {
    const first = await newWindow();
    const project = await copyOfExample();
    const crew = await first.locals.start({ folder: project });
    assert.ok(crew);
    const reason = "It ended unexpectedly.";
    await errorsDuring(async () => {
      await killService();
      await waitFor("the reason", () => localOf(first)?.failure === reason);
    });
    await close(first);
    const next = await newWindow();
    assert.equal(localOf(next)?.failure, reason);
    const text = await readFile(tasksIn(project), "utf8");
    await makeInvalid(project);
    await refusal(next.locals.ensureRunning(crew.id));
    assert.match(localOf(next)?.failure ?? "", isInvalid);
    await writeFile(tasksIn(project), text);
    open.add(crew.id);
    await next.locals.restore();
    assert.deepEqual(next.locals.list(), [crew], "for what is open");
  });

  it("starts the workspace's only project without a question, and offers it in the view until it is served", async () => {
    const root = vscode.workspace.workspaceFolders![0]!.uri;
    const projectIn = (name: string) => vscode.Uri.joinPath(root, name);
    const shown = new vscode.EventEmitter<vscode.TreeViewVisibilityChangeEvent>();
    const focus = new vscode.EventEmitter<vscode.WindowState>();
    const tree = {
      view: { visible: true, onDidChangeVisibility: shown.event },
      unserved: [] as readonly string[],
    };
    const { crews, locals } = await newWindow();
    resetContext();
    const watching = await withReplaced(
      vscode.window,
      { onDidChangeWindowState: focus.event },
      () => watchProjects(tree, crews, Promise.resolve()),
    );
    await withContext("crewdeck.hasProject", async (contexts) => {
      const elsewhere = vscode.Uri.file(await copyOfExample());
      const move = (from: vscode.Uri, to: vscode.Uri) => vscode.workspace.fs.rename(from, to);
      for (const [name, look] of [
        ["shown-crew", () => shown.fire({ visible: true })],
        ["focused-crew", () => focus.fire({ focused: true, active: true })],
      ] as const) {
        await move(elsewhere, projectIn(name));
        look();
        await waitFor("the project to be found", () => contexts.at(-1) === true);
        await waitFor("its row", () => tree.unserved.length === 1);
        assert.deepEqual(tree.unserved, [projectIn(name).toString()]);
        await move(projectIn(name), elsewhere);
        look();
        await waitFor("it to be missed", () => contexts.at(-1) === false);
      }
      await move(elsewhere, projectIn("its-crew"));
      shown.fire({ visible: true });
      await waitFor("its row", () => tree.unserved.length === 1);
      const crew = await locals.start({ here: true });
      assert.equal(crew?.local?.folder, projectIn("its-crew").toString());
      assert.deepEqual(tree.unserved, []);
    }).finally(async () => {
      watching.dispose();
      for (const name of ["shown-crew", "focused-crew", "its-crew"])
        await rm(projectIn(name).fsPath, { recursive: true, force: true });
    });
  });

  it("reports where a project is invalid, with a button that opens the place", async () => {
    const window = await newWindow();
    const project = await copyOfExample();
    await makeInvalid(project);
    const error = await refusal(window.locals.start({ folder: project }));
    assert.match(error.message, isInvalid);
    const [action] = error.actions;
    assert.equal(action?.command, "vscode.open");
    await vscode.commands.executeCommand(action.command, ...(action.arguments ?? []));
    const editor = await activeEditor();
    assert.equal(editor.document.uri.fsPath, tasksIn(project));
    assert.match(editor.document.lineAt(editor.selection.active.line).text, /agent: nobody/);
    assert.deepEqual(window.locals.list(), []);
  });

  it("says that a kickoff is refused because of an invalid file, where that is, with a button that opens it, and logs it", async () => {
    const { window, lines } = await newWindowWithLog();
    const project = await copyOfExample();
    const crew = await window.locals.start({ folder: project });
    assert.ok(crew);
    await makeInvalid(project);
    const client = await window.crews.client(crew);
    const inputs = { topic: "a secret topic", audience: "guests" };
    const error: unknown = await client.kickoff({ inputs }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof CrewApiError && error.sent === "no", String(error));
    assert.match(
      messageOf(error),
      /src\/example_crew\/config\/tasks\.yaml:\d+:\d+: There is no agent "nobody", only .* Fix the crew's file and try again\.$/,
    );
    const actions = actionsOf(error);
    assert.deepEqual(
      actions.map(({ title, command }) => [title, command]),
      [
        ["Open the File", "vscode.open"],
        ["Show Local Crew's Log", "crewdeck.showLog"],
      ],
    );
    const [uri] = actions[0]?.arguments ?? [];
    assert.ok(uri instanceof vscode.Uri && uri.fsPath === tasksIn(project));
    const logged =
      "[example_crew] POST /kickoff: The crew can no longer be read. src/example_crew/config/tasks.yaml:";
    await waitFor("the log", () => lines.some((line) => line.startsWith(logged)));
    assert.doesNotMatch(lines.join("\n"), /secret topic/);
  });

  it("doesn't list a crew while its folder is missing", async () => {
    const first = await newWindow();
    const project = await copyOfExample();
    await first.locals.start({ folder: project });
    await close(first);
    await rm(project, { recursive: true });
    const second = await newWindow();
    assert.deepEqual(second.locals.list(), []);
    await copyOfExample();
    await second.locals.refresh();
    assert.equal(second.locals.list().length, 1);
  });

  it("lists the example, crews that run, also from other folders, and any folder", async () => {
    const { locals } = await newWindow();
    const project = await copyOfExample();
    const { crew, items, options } = await pick(locals, "comes with Crewdeck");
    assert.equal(crew?.name, "example_crew");
    assert.equal(
      options?.placeHolder,
      "Which crew? It runs with crewAI where that is installed for it, and is rehearsed otherwise",
    );
    const example = items.find(({ label }) => label === "$(mortar-board) example_crew");
    assert.equal(example?.detail, "research, outline, briefing");
    assert.match(items.at(-1)?.label ?? "", /Choose a folder/);
    await locals.start({ folder: project });
    const again = await pick(locals, `running · ${project}`);
    assert.equal(again.crew?.name, "example_crew 2");
    assert.deepEqual(
      again.items.slice(-3).map(({ description }) => description),
      [`running · ${project}`, "running · comes with Crewdeck", undefined],
    );
  });

  it("says that a flow runs only with crewAI, and doesn't rehearse it", async () => {
    const { locals } = await newWindow();
    const project = await copyOf(fixture("crewai/review"), "review");
    const outside = await refusal(locals.start({ folder: project }));
    assert.match(outside.message, /“review” did not start\. Its folder is not in this workspace/);
    const rehearsed = await refusal(locals.start({ folder: project, engine: "rehearsal" }));
    assert.match(rehearsed.message, /^“review” did not start\. It can't be rehearsed/);
    assert.deepEqual(
      rehearsed.actions.map(({ title }) => title),
      ["Use crewAI or Rehearsal…"],
    );
  });

  it("removes a crew with its service, data and token, and keeps the project", async () => {
    const project = await copyOfExample();
    const { crews, locals } = await newWindow();
    const crew = await locals.start({ folder: project });
    assert(crew);
    const other = await newWindow();
    await locals.remove(crew.id);
    await untilSilent(crew.url);
    assert.deepEqual(crews.list(), []);
    assert.equal(await crews.token(crew.id), undefined);
    assert.deepEqual(await readdir(path.join(folder, "storage", "local")), []);
    assert.ok((await readdir(project)).includes("pyproject.toml"));
    await other.locals.refresh();
    assert.deepEqual(other.crews.list(), []);
  });
});
