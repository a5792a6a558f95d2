import assert from "node:assert/strict";
import * as vscode from "vscode";
import { CrewApiError } from "../../src/api/errors.ts";
import type { Clock } from "../../src/base/clock.ts";
import type { Crew, TokenState } from "../../src/crews/types.ts";
import { Emitter } from "../../src/base/events.ts";
import { without, type Execution } from "../../src/executions/model.ts";
import type { TrackerChange } from "../../src/executions/tracker.ts";
import { CurrentCircumstances } from "../../src/views/circumstances.ts";
import { noFilter } from "../../src/views/tree/arrangement.ts";
import { TreeChoices } from "../../src/views/tree/register.ts";
import type { CrewNode, ExecutionNode, TreeNode } from "../../src/views/tree/nodes.ts";
import { ExecutionTree } from "../../src/views/tree/tree.ts";
import { anExecution, notWaiting } from "../unit/views/executions.ts";
import { waitFor } from "../support/wait.ts";
import { MemoryMemento } from "./memory.ts";
import { eachWithViewParts, type ViewParts } from "./view-parts.ts";

const writers: Crew = { id: "url:https://crew.test", name: "Writers", url: "https://crew.test" };

/** A visible view that keeps its badge. */
class FakeView extends vscode.Disposable implements vscode.TreeView<TreeNode> {
  visible = true;
  badge: vscode.ViewBadge | undefined;
  readonly visibility = new vscode.EventEmitter<vscode.TreeViewVisibilityChangeEvent>();
  readonly onDidChangeVisibility = this.visibility.event;
  message?: string;
  description?: string;
  selection: readonly TreeNode[] = [];
  readonly revealed: TreeNode[] = [];
  readonly expand = new vscode.EventEmitter<vscode.TreeViewExpansionEvent<TreeNode>>();
  readonly onDidExpandElement = this.expand.event;
  readonly onDidCollapseElement = new vscode.EventEmitter<vscode.TreeViewExpansionEvent<TreeNode>>()
    .event;
  readonly onDidChangeSelection = new vscode.EventEmitter<
    vscode.TreeViewSelectionChangeEvent<TreeNode>
  >().event;
  readonly onDidChangeCheckboxState = new vscode.EventEmitter<
    vscode.TreeCheckboxChangeEvent<TreeNode>
  >().event;
  reveal(node: TreeNode): Promise<void> {
    this.revealed.push(node);
    return Promise.resolve();
  }
  constructor() {
    super(() => undefined);
  }
  override dispose(): void {
    this.visibility.dispose();
  }
}

/** A clock that a test moves. */
class TestClock implements Clock {
  time = Date.parse("2026-10-21T12:00:30.000Z");
  readonly #timers = new Set<{ at: number; action: () => void }>();

  now(): number {
    return this.time;
  }
  after(milliseconds: number, action: () => void): () => void {
    const timer = { at: this.time + milliseconds, action };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }
  get timers(): number {
    return this.#timers.size;
  }
  pass(milliseconds: number): void {
    this.time += milliseconds;
    for (const timer of [...this.#timers].filter(({ at }) => at <= this.time)) {
      this.#timers.delete(timer);
      timer.action();
    }
  }
}

describe("the tree", () => {
  let parts: ViewParts;
  let clock: TestClock;
  let view: FakeView;
  let tree: ExecutionTree;
  let circumstances: CurrentCircumstances;
  let choices: TreeChoices;
  let crews: Crew[];
  let tokensRead: string[];
  let refreshed: (readonly TreeNode[] | undefined)[];
  const token = new Map<string, TokenState>();
  const parked = new Map<string, CrewApiError>();
  const crewsChanged = new vscode.EventEmitter<void>();
  const tokenChanged = new vscode.EventEmitter<string>();
  /** Local ids of executions whose kickoff request is being sent. */
  const kickingOff = new Set<string>();
  const trackerChanged = new Emitter<TrackerChange>((error) => assert.fail(String(error)));

  afterEach(() => {
    tree.dispose();
    circumstances.dispose();
  });

  eachWithViewParts((fresh) => {
    parts = fresh;
    clock = new TestClock();
    view = new FakeView();
    crews = [writers];
    tokensRead = [];
    refreshed = [];
    token.clear();
    parked.clear();
    kickingOff.clear();
    choices = new TreeChoices(new MemoryMemento());
    circumstances = new CurrentCircumstances({
      crews: { list: () => crews, canStop: () => true, onDidChange: crewsChanged.event },
      tracker: {
        problemOf: ({ crew }) => parked.get(crew.id),
        localProblemOf: () => undefined,
        onDidChange: trackerChanged.event,
      },
      outbox: {
        isUnderWay: (key) => key.kind === "kickoff" && kickingOff.has(key.localId),
      },
      prices: { list: () => [], onDidChange: () => new vscode.Disposable(() => undefined) },
      clock,
    });
    tree = new ExecutionTree({
      choices,
      circumstances,
      store: parts.store,
      crews: {
        tokenState: (id) => {
          tokensRead.push(id);
          return Promise.resolve(token.get(id) ?? { kind: "none" });
        },
        onDidChangeToken: tokenChanged.event,
      },
      tracker: { parkedCrews: () => parked },
      clock,
      createView: () => view,
    });
    tree.onDidChangeTreeData((nodes) => refreshed.push(nodes));
  });

  const setCrews = (list: Crew[]) => {
    crews = list;
    crewsChanged.fire();
  };
  const isCrew = (node: TreeNode): node is CrewNode => node.kind === "crew";
  /** The crews' rows; what waits is above them. */
  const crewRows = () => tree.getChildren().filter(isCrew);
  const isExecution = (node: TreeNode): node is ExecutionNode => node.kind === "execution";
  const labels = (nodes: readonly TreeNode[]) => nodes.map((node) => tree.getTreeItem(node).label);
  const resolved = (node: TreeNode) => tree.resolveTreeItem(tree.getTreeItem(node), node);
  const add = (...executions: readonly Execution[]) => {
    for (const execution of executions) parts.store.add(execution);
  };
  const another = (localId: string, startedAt: string): Execution =>
    notWaiting({ localId, kickoffIds: [`id-${localId}`], label: localId, startedAt });

  it("shows crews, below them their executions, newest first, and below those their tasks", () => {
    add(
      anExecution(),
      another("newer", "2026-10-21T12:00:10.000Z"),
      another("older", "2026-10-20T12:00:00.000Z"),
    );
    parts.store.update("local-1", () => notWaiting());
    const [crew] = crewRows();
    assert.deepEqual(labels(crewRows()), ["Writers"]);
    const executions = tree.getChildren(crew);
    assert.deepEqual(labels(executions), ["newer", "Sea otters", "older"]);
    const tasks = tree.getChildren(executions[1]);
    assert.deepEqual(labels(tasks), ["research", "review"]);
    assert.equal(tree.getParent(tasks[0]!), executions[1]);
    assert.equal(tree.getParent(executions[1]!), crew);
    assert.match(tree.getTreeItem(tasks[1]!).contextValue ?? "", /^task:waiting\b.*:output$/);
  });

  it("passes rows to commands as their arguments, and opens an execution on click", () => {
    add(anExecution());
    const [execution] = tree.getChildren(tree.getChildren()[0]);
    const row = {
      kind: "execution",
      group: "waiting",
      crew: writers.id,
      localId: "local-1",
      kickoffId: "11111111-aaaa",
    };
    assert.deepEqual({ ...execution }, row);
    assert.deepEqual(tree.getTreeItem(execution!).command?.arguments, [execution]);
    assert.deepEqual(
      { ...execution },
      { ...row, attempt: 1 },
      "shown, it names the attempt that waits",
    );
    const [, review] = tree.getChildren(execution);
    tree.getTreeItem(review!);
    assert.deepEqual({ ...review }, { ...row, kind: "task", taskId: "review", attempt: 1 });
  });

  it("shows remote text as plain text", () => {
    add(notWaiting({ label: "**bold** $(trash) [a](command:x) <b>" }));
    const item = resolved(tree.getChildren(crewRows()[0])[0]!);
    assert.ok(item.tooltip instanceof vscode.MarkdownString);
    assert.ok(
      item.tooltip.isTrusted !== true &&
        item.tooltip.supportHtml !== true &&
        item.tooltip.supportThemeIcons !== true,
    );
    assert.equal(
      item.tooltip.value.split("\n\n").length,
      2,
      "a heading, and below it lines close together",
    );
    assert.match(item.tooltip.value, /\n1 of 3 tasks done {2}\n/, "lines that break between words");
    assert.doesNotMatch(item.tooltip.value, /(?<!\\)\*\*bold|(?<!\\)\[a\]\(command|<b>/);
  });

  it("refreshes only the row that changed, as the same object", () => {
    add(anExecution(), another("other", "2026-10-20T12:00:00.000Z"));
    const [other] = tree.getChildren(crewRows()[0]);
    assert.ok(other);
    refreshed.length = 0;
    parts.store.update("other", (execution) => ({ ...execution, state: "completed" }));
    assert.deepEqual(refreshed, [[other]]);
    assert.equal(refreshed[0]![0], other);
    parts.store.update("other", (execution) => ({
      ...execution,
      kickoffIds: ["id-first", "x"],
    }));
    assert.equal(refreshed[1]![0], other);
    assert.deepEqual(other.kind === "execution" && other.kickoffId, "id-first");
  });

  it("shows the crew that an execution has moved to on all its rows", () => {
    add(notWaiting());
    const rows = () => {
      const execution = tree.getChildren(crewRows().find(({ crew }) => crew === crews[0]!.id))[0]!;
      return [execution, ...tree.getChildren(execution)].map((node) => "crew" in node && node.crew);
    };
    assert.deepEqual(rows(), [writers.id, writers.id, writers.id]);
    const moved = { ...writers, id: "url:https://moved.test", url: "https://moved.test" };
    setCrews([moved]);
    parts.store.update("local-1", (execution) => ({ ...execution, crew: moved }));
    assert.deepEqual(rows(), [moved.id, moved.id, moved.id]);
  });

  it("shows that an execution is being kicked off until its request has ended", () => {
    kickingOff.add("local-1");
    add(notWaiting({ kickoffIds: [], state: "unconfirmed" }));
    const [row] = tree.getChildren(crewRows()[0]);
    assert.match(String(tree.getTreeItem(row!).description), /^Kicking off…/);
    refreshed.length = 0;
    kickingOff.clear();
    clock.pass(1_000);
    assert.deepEqual(refreshed, [[row]]);
    assert.match(String(tree.getTreeItem(row!).description), /^May have started/);
  });

  it("counts what waits in its badge", () => {
    assert.equal(view.badge, undefined);
    add(anExecution(), anExecution({ localId: "second", kickoffIds: ["second"] }));
    assert.deepEqual(view.badge, { value: 2, tooltip: "2 executions wait for you" });
    parts.store.update("second", () => notWaiting({ localId: "second", kickoffIds: ["second"] }));
    assert.equal((view.badge as vscode.ViewBadge | undefined)?.value, 1);
    parts.store.remove("local-1");
    assert.equal(view.badge, undefined);
  });

  it("shows executions of a crew that is no longer connected", () => {
    add(notWaiting());
    setCrews([]);
    const [crew] = crewRows();
    assert.equal(tree.getTreeItem(crew!).description, "not connected");
    assert.equal(tree.getChildren(crew).length, 1);
  });

  it("shows on each execution that hasn't ended that it isn't watched while its crew refuses the token", () => {
    add(
      notWaiting({ localId: "runs", kickoffIds: ["runs"] }),
      notWaiting({ localId: "done", kickoffIds: ["done"], state: "completed" }),
    );
    const rows = tree.getChildren(crewRows()[0]);
    refreshed.length = 0;
    parked.set(
      writers.id,
      new CrewApiError({ kind: "unauthorized", message: "Refused.", remedy: "Replace it." }),
    );
    trackerChanged.fire({ crewIds: [writers.id], localIds: [] });
    const running = rows.find((node) => node.kind === "execution" && node.localId === "runs");
    assert.ok(
      running !== undefined && refreshed.flat().includes(running) && refreshed.flat().length === 2,
      "the crew's row and this one",
    );
    assert.match(String(tree.getTreeItem(running).description), /not watched: token refused/);
    assert.equal(
      (tree.getTreeItem(running).iconPath as vscode.ThemeIcon).id,
      "eye-closed",
      "nothing spins",
    );
  });

  it("reads no secret at the start, and later shows where this machine has no token", async () => {
    const [crew] = crewRows();
    clock.pass(4_000);
    assert.deepEqual(tokensRead, []);
    clock.pass(1_000);
    await waitFor(
      "the row to say so",
      () => tree.getTreeItem(crew!).description === "No token on this machine",
    );
    token.set(writers.id, { kind: "stored", inUse: "bearer", types: ["bearer"] });
    tokenChanged.fire(writers.id);
    clock.pass(0);
    await waitFor(
      "the row to be as ever",
      () => tree.getTreeItem(crew!).description === "crew.test",
    );
  });

  it("updates elapsed times only while it is visible and something runs", () => {
    add(
      notWaiting(),
      notWaiting({
        localId: "done",
        kickoffIds: ["done"],
        state: "completed",
        endedAt: "2026-10-21T12:00:20.000Z",
      }),
    );
    clock.pass(5_000);
    const rows = tree.getChildren(crewRows()[0]);
    const [running] = rows.filter(
      (node) => node.kind === "execution" && node.localId === "local-1",
    );
    for (const row of rows) tree.getTreeItem(row);
    refreshed.length = 0;
    clock.pass(10_000);
    assert.deepEqual(refreshed, [[running]]);
    assert.match(String(tree.getTreeItem(running!).description), /40 s/);
    view.visible = false;
    view.visibility.fire({ visible: false });
    assert.equal(clock.timers, 0);
    view.visible = true;
    view.visibility.fire({ visible: true });
    clock.pass(0);
    parts.store.update("local-1", (execution) => ({
      ...execution,
      state: "completed",
      endedAt: "2026-10-21T12:01:00.000Z",
    }));
    assert.equal(clock.timers, 0);
  });

  it("updates no row without a visible difference", () => {
    add(notWaiting());
    for (const row of tree.getChildren(crewRows()[0])) tree.getTreeItem(row);
    refreshed.length = 0;
    parts.store.update("local-1", (execution) => ({
      ...execution,
      seenAt: "2026-10-21T12:00:20.000Z",
    }));
    assert.deepEqual(refreshed, []);
    parts.store.update("local-1", (execution) => ({
      ...execution,
      tasks: execution.tasks.map((task) => ({ ...task, state: "completed" })),
    }));
    assert.equal(refreshed.length, 1);
  });

  it("lists what waits across crews once, at the top", () => {
    const painters = { id: "url:https://other.test", name: "Painters", url: "https://other.test" };
    setCrews([writers, painters]);
    add(
      anExecution(),
      anExecution({ localId: "second", kickoffIds: ["second"], crew: painters, label: "Blue" }),
      another("busy", "2026-10-21T12:00:10.000Z"),
    );
    const [top] = tree.getChildren();
    assert.deepEqual(
      [tree.getTreeItem(top!).label, tree.getTreeItem(top!).description],
      ["Waiting for you", "2"],
    );
    assert.deepEqual(labels(tree.getChildren(top)).sort(), ["Blue", "Sea otters"]);
    assert.deepEqual(
      crewRows().map((crew) => labels(tree.getChildren(crew))),
      [["busy"], ["Kick off…"]],
    );
    const { contextValue = "" } = tree.getTreeItem(tree.getChildren(top)[0]!);
    assert.match(contextValue, /^execution:waiting:approve\b.*:stop\b/);
    refreshed.length = 0;
    parts.store.update("second", () =>
      notWaiting({ localId: "second", kickoffIds: ["second"], crew: painters }),
    );
    assert.ok(
      refreshed.every((nodes) => nodes !== undefined),
      "what goes on waiting keeps the rest of the tree as it is",
    );
    parts.store.update("local-1", () => notWaiting());
    assert.deepEqual(labels(tree.getChildren()), ["Writers", "Painters"]);
  });

  it("groups by state and by day, and stores the choice in the workspace", async () => {
    clock.time = new Date(2026, 9, 21, 12).getTime();
    const noon = (day: number) => new Date(2026, 9, day, 11).toISOString();
    add(
      anExecution({ startedAt: noon(21) }),
      { ...another("busy", noon(21)) },
      { ...another("done", noon(20)), state: "completed" },
    );
    await choices.groupBy("state");
    assert.deepEqual(refreshed.at(-1), undefined);
    assert.deepEqual(labels(tree.getChildren()), ["Waiting for you", "Running", "Completed"]);
    await choices.groupBy("day");
    assert.deepEqual(labels(tree.getChildren()), ["Waiting for you", "Today", "Yesterday"]);
    clock.pass(12 * 60 * 60_000);
    assert.deepEqual(refreshed.at(-1), undefined);
    assert.match(
      JSON.stringify(labels(tree.getChildren())),
      /^\["Waiting for you","Yesterday","[^"]*20/,
      "days are called anew at midnight",
    );
  });

  it("shows only what matches the filter, and describes the filter, how many it hides and that one of them waits", () => {
    add(
      anExecution(),
      another("tea", "2026-10-21T12:00:10.000Z"),
      another("cake", "2026-10-21T12:00:20.000Z"),
    );
    choices.setFilter({ text: "TEA", states: ["running"] });
    assert.deepEqual(labels(tree.getChildren(crewRows()[0])), ["tea"]);
    assert.equal(view.message, "Running · “TEA” – 2 of 3 hidden, 1 of them waits for you");
    assert.equal(view.badge?.value, 1, "the badge counts what is hidden, too");
    choices.setFilter({ text: "nothing like it", states: [] });
    assert.deepEqual(
      tree.getChildren(),
      [],
      "no row, so that VS Code shows the welcome that offers to clear it",
    );
    assert.deepEqual([view.message, view.description], [undefined, "“nothing like it”"]);
    choices.setFilter(noFilter);
    assert.deepEqual(
      [tree.getChildren(crewRows()[0]).length, view.message, view.description],
      [2, undefined, undefined],
    );
  });

  it("selects a row that moved to another group, and expands it there if it was expanded", async () => {
    add(notWaiting());
    await choices.groupBy("state");
    const [row] = tree.getChildren(tree.getChildren()[0]).filter(isExecution);
    view.selection = [row!];
    view.expand.fire({ element: row! });
    parts.store.update("local-1", (execution) => ({
      ...execution,
      progress: { completed: 2, total: 3, unit: "task" },
    }));
    assert.deepEqual(view.revealed, [], "nothing to do where it stays");
    parts.store.update("local-1", () => anExecution());
    const [moved] = tree.getChildren(tree.getChildren()[0]).filter(isExecution);
    assert.deepEqual(view.revealed, [moved]);
    assert.equal(moved?.group, "waiting");
    view.selection = [moved];
    await choices.groupBy("crew");
    view.visible = false;
    parts.store.update("local-1", (execution) =>
      without({ ...execution, state: "completed" }, "waiting"),
    );
    assert.equal(view.revealed.length, 1, "to reveal would open the view");
    const [ended] = tree.getChildren(crewRows()[0]).filter(isExecution);
    assert.equal(
      tree.getTreeItem(ended!).collapsibleState,
      vscode.TreeItemCollapsibleState.Expanded,
    );
  });

  it("shows a large group in pages, and more on request", async () => {
    const large = Array.from({ length: 1_200 }, (_, index) =>
      another(`many-${index}`, new Date(Date.UTC(2026, 9, 20) - index * 1000).toISOString()),
    );
    parts.store.list = () => large;
    parts.store.summary = (id) => large.find(({ localId }) => localId === id);
    await choices.groupBy("crew");
    const rows = () => tree.getChildren(crewRows()[0]);
    assert.equal(rows().length, 501);
    const more = rows().at(-1)!;
    assert.deepEqual(
      [
        tree.getTreeItem(more).label,
        tree.getTreeItem(more).description,
        tree.getTreeItem(more).command?.arguments,
      ],
      ["Show more…", "700 older ones", [more]],
    );
    await tree.showMore(`crew ${writers.id}`);
    assert.deepEqual([rows().length, labels(view.revealed)], [1_001, ["many-500"]]);
    await tree.showMore(`crew ${writers.id}`);
    assert.deepEqual([rows().length, rows().at(-1)?.kind], [1_200, "execution"]);
  });
});
