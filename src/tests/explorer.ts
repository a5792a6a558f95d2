import path from "node:path";
import * as vscode from "vscode";
import { Disposables } from "../base/events.ts";
import { UserError } from "../base/errors.ts";
import { asObject, textAt } from "../base/json.ts";
import type { ModelRoute, NamedTest, TestLine, TestOutcome } from "../base/window-protocol.ts";
import { trustAction } from "../crews/errors.ts";
import { logged } from "../editor/log.ts";
import { confirm, plainLabel, showError } from "../editor/messages.ts";
import { requestFileEnding } from "../kickoff/request-files/name.ts";
import { idOf as crewIdOf } from "../local/records.ts";
import { programOf, runTestCommand } from "./command.ts";

export interface TestExplorerOptions {
  readonly extension: vscode.Uri;
  readonly routeOf: (crewId: string) => Promise<ModelRoute>;
  readonly isTrusted: () => boolean;
  readonly act: (name: string, argument: object) => Promise<unknown>;
  readonly createController: typeof vscode.tests.createTestController;
}

type Mode = "replay" | "record" | "live";
type Result = Extract<TestLine, { type: "test" }>;

const pattern = `**/*${requestFileEnding}`;
/** Of a failure for which the recording lacks a call (package.json, `testing/message/context`). */
const unrecorded = "crewdeck.unrecorded";
const failed = "crewdeck.failed";

export class TestExplorer implements vscode.Disposable {
  readonly #owned = new Disposables();
  readonly #options: TestExplorerOptions;
  readonly #program: string;
  /** Made with the first test: it shows VS Code's view of tests. */
  #controller: vscode.TestController | undefined;
  #cases = new Map<string, NamedTest>();
  /** The IDs of those whose last run failed, and whether it lacked a call in the recording. */
  readonly #failed = new Map<string, boolean>();
  #finding: Promise<void> | undefined;
  #isOutdated = false;

  constructor(options: TestExplorerOptions) {
    this.#options = options;
    this.#program = programOf(options.extension);
    const { workspace } = vscode;
    const watcher = this.#owned.add(workspace.createFileSystemWatcher(pattern));
    const look = () => void this.refresh().catch(logged("Finding the tests of crews"));
    for (const event of ["onDidCreate", "onDidChange", "onDidDelete"] as const)
      this.#owned.add(watcher[event](look));
    this.#owned.add(
      workspace.onDidSaveTextDocument(({ uri }) => {
        // Cases may be there.
        if (/\.(csv|jsonl)$/i.test(uri.path)) look();
      }),
    );
    this.#owned.add(workspace.onDidChangeWorkspaceFolders(look));
    look();
  }

  /** One search at a time: what changes meanwhile is found by the next one. */
  async refresh(): Promise<void> {
    this.#isOutdated = true;
    this.#finding ??= this.#find().finally(() => (this.#finding = undefined));
    await this.#finding;
  }

  async record(argument: unknown): Promise<void> {
    const test = await this.#testOf(argument, (id) => this.#failed.get(id) === true);
    if (test === undefined) return;
    const cancel = new vscode.CancellationTokenSource();
    await this.#run("record", new vscode.TestRunRequest([test]), cancel.token);
  }

  /** Replays the test whose message a person looks at, as an execution of the crew's own service, which has a page. */
  async openAsExecution(argument: unknown): Promise<void> {
    const test = await this.#testOf(argument, (id) => this.#failed.has(id));
    const known = this.#cases.get(test?.id ?? "");
    if (known === undefined) return;
    const { folder, crewClass, file, number } = known;
    const { act } = this.#options;
    const crew = await act("startLocalCrew", { folder, class: crewClass, engine: "crewai" });
    const name = textAt(asObject(crew), "name");
    // Nothing for a person who has cancelled.
    if (name === undefined) return;
    await act("kickoffRows", { crew: name, file, cases: [number], isReplay: true });
  }

  /** The button in a message's editor names none (VS Code 1.139): then it is the one at the cursor. */
  async #testOf(
    argument: unknown,
    isMeant: (id: string) => boolean,
  ): Promise<vscode.TestItem | undefined> {
    const id = textAt(asObject(asObject(argument)["test"]), "id");
    const failed = leavesOf(this.#items).filter((item) => isMeant(item.id));
    const { document, selection } = vscode.window.activeTextEditor ?? {};
    const isAtCursor = ({ uri, range }: vscode.TestItem) =>
      uri?.toString() === document?.uri.toString() && range?.start.line === selection?.active.line;
    const found = failed.find((item) => (id === undefined ? isAtCursor(item) : item.id === id));
    if (found !== undefined) return found;
    const items = failed.map((item) => ({ label: plainLabel(item.label), item }));
    const placeHolder = vscode.l10n.t("Which test?");
    return (await vscode.window.showQuickPick(items, { placeHolder }))?.item;
  }

  dispose(): void {
    this.#owned.dispose();
  }

  get #items(): readonly vscode.TestItem[] {
    return this.#controller === undefined ? [] : itemsOf(this.#controller.items);
  }

  async #find(): Promise<void> {
    while (this.#isOutdated) {
      this.#isOutdated = false;
      const found = await vscode.workspace.findFiles(pattern, "**/{node_modules,.*}/**");
      const files = found.filter(({ scheme }) => scheme === "file").map(({ fsPath }) => fsPath);
      const lines: TestLine[] = [];
      const onLine = (line: TestLine) => lines.push(line);
      const [first] = files;
      // Without one, the command would search.
      if (first !== undefined)
        await runTestCommand({
          ...{ program: this.#program, cwd: path.dirname(first), onLine },
          args: ["--list", ...files],
        });
      this.#show(lines);
    }
  }

  #show(lines: readonly TestLine[]): void {
    const cases = lines.filter((line) => line.type === "case");
    this.#cases = new Map(cases.map((each) => [idOf(each), each]));
    if (cases.length === 0 && this.#controller === undefined) return;
    const controller = (this.#controller ??= this.#create());
    const itemOf = (file: string) => {
      const uri = vscode.Uri.file(file);
      const label = vscode.workspace.asRelativePath(uri).slice(0, -requestFileEnding.length);
      return Object.assign(controller.createTestItem(file, label, uri), { range: rangeAt(1) });
    };
    const items = [...Map.groupBy(cases, ({ file }) => file)].map(([file, own]) => {
      const item = itemOf(file);
      item.children.replace(
        own.flatMap((each) => {
          if (each.number === 0) return [];
          const place = vscode.Uri.file(each.at.file);
          const child = controller.createTestItem(idOf(each), each.name, place);
          child.range = rangeAt(each.at.line);
          child.sortText = String(each.number).padStart(9, "0");
          return child;
        }),
      );
      return item;
    });
    const broken = lines.flatMap((line) =>
      line.type === "problem" && line.file !== undefined
        ? [Object.assign(itemOf(line.file), { error: line.message })]
        : [],
    );
    controller.items.replace([...items, ...broken]);
  }

  #create(): vscode.TestController {
    const controller = this.#owned.add(
      this.#options.createController("crewdeck", vscode.l10n.t("Crews")),
    );
    controller.refreshHandler = () => this.refresh();
    const add = (mode: Mode, label: string, isUsual = false) => {
      const run = (request: vscode.TestRunRequest, token: vscode.CancellationToken) =>
        this.#run(mode, request, token).catch(showError);
      const kind = vscode.TestRunProfileKind.Run;
      controller.createRunProfile(label, kind, run, isUsual, undefined, isUsual);
    };
    add("replay", vscode.l10n.t("Replay"), true);
    add("record", vscode.l10n.t("Record"));
    add("live", vscode.l10n.t("Live"));
    return controller;
  }

  async #run(
    mode: Mode,
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
  ): Promise<void> {
    if (this.#controller === undefined) return;
    if (!this.#options.isTrusted())
      throw new UserError(vscode.l10n.t("In Restricted Mode, none of the project's code runs."), [
        trustAction(),
      ]);
    if (request.continuous === true) {
      this.#runOnSave(request, token);
      return;
    }
    await this.#finding;
    const tests = leavesOf(request.include ?? this.#items);
    const excluded = new Set(leavesOf(request.exclude ?? []).map(({ id }) => id));
    const wanted = tests.filter(({ id }) => !excluded.has(id) && this.#cases.has(id));
    if (wanted.length === 0 || !(await mayCost(mode, wanted.length))) return;
    const run = this.#controller.createTestRun(request);
    const cancel = new AbortController();
    token.onCancellationRequested(() => cancel.abort());
    for (const item of wanted) run.enqueued(item);
    const byFolder = Map.groupBy(wanted, ({ id }) => this.#cases.get(id)?.folder ?? "");
    try {
      for (const [folder, items] of byFolder)
        if (!cancel.signal.aborted) await this.#runIn(folder, items, mode, run, cancel.signal);
    } finally {
      run.end();
    }
  }

  async #runIn(
    folder: string,
    items: readonly vscode.TestItem[],
    mode: Mode,
    run: vscode.TestRun,
    signal: AbortSignal,
  ): Promise<void> {
    const left = new Map(items.map((item) => [item.id, item]));
    const { findInterpreter } = await import("../local/engines.ts");
    const python = (await findInterpreter(vscode.Uri.file(folder)))?.python;
    const args = [`--${mode}`, ...(python === undefined ? [] : ["--python", python])];
    const variables = await this.#variablesFor(vscode.Uri.file(folder), mode);
    const problems: string[] = [];
    const onLine = (line: TestLine) => {
      if (line.type === "problem") {
        problems.push(line.message);
        run.appendOutput(terminal(`${line.message}\n`));
        return;
      }
      const item = left.get(idOf(line));
      if (item === undefined) return;
      if (line.type === "started") run.started(item);
      if (line.type !== "test") return;
      left.delete(item.id);
      this.#failed.delete(item.id);
      const lacksCall = line.failures.some(({ isUnrecorded }) => isUnrecorded);
      if (line.state === "failed") this.#failed.set(item.id, lacksCall);
      report(run, item, line);
    };
    const printed = await runTestCommand({
      ...{ program: this.#program, cwd: folder, variables, signal, onLine },
      args: [...args, ...left.keys()],
    });
    if (signal.aborted) return;
    const why =
      problems.join("\n") || printed || vscode.l10n.t("The file doesn't have this test anymore.");
    for (const item of left.values()) run.errored(item, new vscode.TestMessage(why));
  }

  /** Until a person switches it off. One run after the other; what is saved meanwhile is tried by the next one. */
  #runOnSave(request: vscode.TestRunRequest, token: vscode.CancellationToken): void {
    let isSaved = false;
    let running: Promise<void> | undefined;
    const again = async () => {
      while (isSaved && !token.isCancellationRequested) {
        isSaved = false;
        const { include, exclude, profile } = request;
        const next = new vscode.TestRunRequest(include, exclude, profile);
        await this.#run("replay", next, token).catch(logged("Replaying the tests of crews"));
      }
    };
    const subscription = vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      const cases = [...this.#cases.values()];
      if (!cases.some(({ folder }) => uri.fsPath.startsWith(folder + path.sep))) return;
      isSaved = true;
      running ??= again().finally(() => (running = undefined));
    });
    token.onCancellationRequested(() => void subscription.dispose());
  }

  /** What only this window knows: prices, and the crew's model. @throws UserError */
  async #variablesFor(folder: vscode.Uri, mode: Mode): Promise<Readonly<Record<string, string>>> {
    const prices: unknown = vscode.workspace.getConfiguration("crewdeck", folder).get("prices");
    const shared = { CREWDECK_PRICES: JSON.stringify(prices ?? {}) };
    if (mode === "replay") return shared;
    const route = await this.#options.routeOf(crewIdOf(folder.toString()));
    if (route.model !== undefined)
      throw new UserError(
        vscode.l10n.t(
          "The crew uses {0}, which answers only in executions that you kick off. Save one as a test, or choose another model.",
          route.model.name,
        ),
      );
    return { ...shared, CREWDECK_MODEL_ROUTE: JSON.stringify(route) };
  }
}

function idOf({ file, number }: { readonly file: string; readonly number: number }): string {
  return number === 0 ? file : `${file}#${number}`;
}

function leavesOf(items: readonly vscode.TestItem[]): readonly vscode.TestItem[] {
  return items.flatMap((item) =>
    item.children.size === 0 ? [item] : leavesOf(itemsOf(item.children)),
  );
}

function itemsOf(collection: vscode.TestItemCollection): readonly vscode.TestItem[] {
  return Array.from(collection, ([, item]) => item);
}

function rangeAt(line: number): vscode.Range {
  return new vscode.Range(line - 1, 0, line - 1, 0);
}

async function mayCost(mode: Mode, count: number): Promise<boolean> {
  if (mode === "replay") return true;
  const [question, button] =
    mode === "record"
      ? [vscode.l10n.t("Record tests? ({0})", count), vscode.l10n.t("Record")]
      : [vscode.l10n.t("Run tests live? ({0})", count), vscode.l10n.t("Run Live")];
  return await confirm(
    question,
    vscode.l10n.t("The models are called, which may cost money."),
    button,
  );
}

function report(run: vscode.TestRun, item: vscode.TestItem, result: Result): void {
  const { state, seconds, text, failures } = result;
  run.appendOutput(terminal(`${text}\n`), undefined, item);
  const took = seconds * 1000;
  if (state === "passed") run.passed(item, took);
  else run[state === "failed" ? "failed" : "errored"](item, failures.map(messageOf), took);
}

function messageOf({
  message,
  expected,
  actual,
  at,
  isUnrecorded,
}: TestOutcome["failures"][number]) {
  const { TestMessage } = vscode;
  // A comparison shows the difference, which the message has, too.
  const [text = ""] = message.replace(/^Task execution failed: /, "").split("\n", 1);
  const made =
    expected !== undefined && actual !== undefined
      ? TestMessage.diff(text, wrapped(expected), wrapped(actual))
      : new TestMessage(actual === undefined ? message : `${message}\n\n${actual}`);
  if (at) made.location = new vscode.Location(vscode.Uri.file(at.file), rangeAt(at.line));
  made.contextValue = isUnrecorded ? unrecorded : failed;
  return made;
}

/** VS Code's comparison doesn't wrap the long lines of prompts, whose difference would be out of sight. */
function wrapped(text: string): string {
  return text.replaceAll(/(.{40,80}?) /g, "$1\n");
}

/** A terminal goes back to the beginning of the line only when told. */
function terminal(text: string): string {
  return text.replaceAll("\n", "\r\n");
}
