import assert from "node:assert/strict";
import * as vscode from "vscode";
import { CrewApiError } from "../../src/api/errors.ts";
import { hasContext } from "../../src/editor/manifest.ts";
import type { Crew, TokenState } from "../../src/crews/types.ts";
import { Emitter } from "../../src/base/events.ts";
import { without, type Execution } from "../../src/executions/model.ts";
import type { PollerChange } from "../../src/executions/poller.ts";
import { CurrentCircumstances } from "../../src/views/circumstances.ts";
import { noFilter } from "../../src/views/tree/arrangement.ts";
import type { ExecutionNode, TreeNode } from "../../src/views/tree/arrangement.ts";
import { ExecutionTree } from "../../src/views/tree/tree.ts";
import { FakeClock } from "../unit/executions/fake-clock.ts";
import { anExecution, notWaiting } from "../unit/views/executions.ts";
import { waitFor } from "../support/wait.ts";
import { MemoryMemento } from "./memory.ts";
import { eachWithViewParts, type ViewParts } from "./view-parts.ts";

const { crew: writers } = anExecution();
const painters = { id: "url:https://other.test", name: "Painters", url: "https://other.test" };

class FakeView extends vscode.Disposable implements vscode.TreeView<TreeNode> {
  visible = true;
  badge: vscode.ViewBadge | undefined;
  message?: string;
  description?: string;
  selection: readonly TreeNode[] = [];
  readonly revealed: TreeNode[] = [];
  readonly visibility = new vscode.EventEmitter<vscode.TreeViewVisibilityChangeEvent>();
  readonly expand = new vscode.EventEmitter<vscode.TreeViewExpansionEvent<TreeNode>>();
  readonly onDidChangeVisibility = this.visibility.event;
  readonly onDidExpandElement = this.expand.event;
  readonly onDidCollapseElement = new vscode.EventEmitter<never>().event;
  readonly onDidChangeSelection = new vscode.EventEmitter<never>().event;
  readonly onDidChangeCheckboxState = new vscode.EventEmitter<never>().event;
  constructor() {
    super(() => this.visibility.dispose());
  }
  reveal(node: TreeNode): Promise<void> {
    this.revealed.push(node);
    return Promise.resolve();
  }
  show(visible: boolean): void {
    this.visible = visible;
    this.visibility.fire({ visible });
  }
}

describe("the tree", () => {
  let parts: ViewParts;
  let clock: FakeClock;
  let view: FakeView;
  let tree: ExecutionTree;
  let circumstances: CurrentCircumstances;
  let crews: readonly Crew[];
  let tokensRead: string[];
  let refreshed: (readonly TreeNode[] | undefined)[];
  let token: TokenState;
  const refusing = new Map<string, CrewApiError>();
  const crewsChanged = new vscode.EventEmitter<void>();
  const tokenChanged = new vscode.EventEmitter<string>();
  let isKickingOff: boolean;
  const trackerChanged = new Emitter<PollerChange>((error) => assert.fail(String(error)));

  afterEach(() => {
    tree.dispose();
    circumstances.dispose();
  });

  eachWithViewParts((fresh) => {
    parts = fresh;
    clock = new FakeClock();
    view = new FakeView();
    [crews, tokensRead, refreshed, token] = [[writers], [], [], { kind: "none" }];
    refusing.clear();
    isKickingOff = false;
    circumstances = new CurrentCircumstances({
      crews: { list: () => crews, canStop: () => true, onDidChange: crewsChanged.event },
      poller: {
        problemOf: ({ crew }) => refusing.get(crew.id),
        onDidChange: trackerChanged.event,
      },
      outbox: { isUnderWay: ({ kind }) => kind === "kickoff" && isKickingOff },
      clock,
    });
    tree = new ExecutionTree({
      ...{ memento: new MemoryMemento(), circumstances, clock, store: parts.store },
      crews: {
        tokenState: (id) => {
          tokensRead.push(id);
          return Promise.resolve(token);
        },
        onDidChangeToken: tokenChanged.event,
      },
      poller: { refusingCrews: () => refusing },
      createView: () => view,
    });
    tree.onDidChangeTreeData((nodes) => refreshed.push(nodes));
  });

  const setCrews = (...list: Crew[]) => {
    crews = list;
    crewsChanged.fire();
  };
  /** The crews' rows; what waits is above them. */
  const crewRows = () => tree.getChildren().filter(({ kind }) => kind === "crew");
  const executionsOf = (node: TreeNode | undefined) =>
    tree.getChildren(node).filter((each): each is ExecutionNode => each.kind === "execution");
  /** Those of the first crew. */
  const rows = () => executionsOf(crewRows()[0]);
  const labels = (nodes: readonly TreeNode[]) => nodes.map((node) => tree.getTreeItem(node).label);
  const descriptionOf = (node: TreeNode | undefined) => tree.getTreeItem(node!).description;
  const add = (...executions: readonly Execution[]) => {
    for (const execution of executions) parts.store.add(execution);
  };
  const another = (localId: string, startedAt = "2026-10-20T12:00:00.000Z"): Execution =>
    notWaiting({ localId, kickoffIds: [localId], label: localId, startedAt });
  const completed = (localId: string) =>
    parts.store.update(localId, (execution) => ({ ...execution, state: "completed" }));

  it("shows crews, below them their executions, and below those their tasks", () => {
    add(notWaiting(), another("older"));
    const [crew] = crewRows();
    assert.deepEqual(labels(crewRows()), ["Writers"]);
    const executions = tree.getChildren(crew);
    const { accessibilityInformation } = tree.getTreeItem(executions[1]!);
    assert.match(accessibilityInformation?.label ?? "", /^older, Running, /);
    assert.deepEqual(labels(executions), ["Sea otters", "older"]);
    const tasks = tree.getChildren(executions[0]);
    assert.deepEqual(labels(tasks), ["research", "review"]);
    assert.equal(tree.getParent(tasks[0]!), executions[0]);
    assert.equal(tree.getParent(executions[0]!), crew);
    assert.match(tree.getTreeItem(tasks[1]!).contextValue ?? "", /^task:waiting\b.*:output$/);
  });

  it("passes rows to commands as their arguments, and opens an execution on click", () => {
    add(anExecution());
    const [execution] = tree.getChildren(tree.getChildren()[0]);
    const { command } = tree.getTreeItem(execution!);
    assert.deepEqual(command?.arguments, [execution]);
    const row = {
      ...{ kind: "execution", group: "waiting", crew: writers.id },
      ...{ localId: "local-1", kickoffId: "11111111-aaaa", attempt: 1 },
    };
    assert.deepEqual({ ...execution }, row);
    const [, review] = tree.getChildren(execution);
    tree.getTreeItem(review!);
    assert.deepEqual({ ...review }, { ...row, kind: "task", taskId: "review" });
  });

  it("shows remote text as plain text", () => {
    add(notWaiting({ label: "**bold** $(trash) [a](command:x) <b>" }));
    const [row] = rows();
    const { tooltip } = tree.resolveTreeItem(tree.getTreeItem(row!), row!);
    assert.ok(typeof tooltip === "string");
    assert.match(tooltip, /^\*\*bold\*\* \$\(trash\) .*\n.*1 of 3 done\n/s);
  });

  it("refreshes only a row that shows something else, as the same object", () => {
    add(notWaiting({ startedAt: "2026-10-19T12:00:00.000Z" }), another("other"));
    const [other] = rows();
    for (const row of rows()) tree.getTreeItem(row);
    refreshed.length = 0;
    const seenAt = "2026-10-21T12:00:20.000Z";
    parts.store.update("other", (execution) => ({ ...execution, seenAt }));
    assert.deepEqual(refreshed, []);
    completed("other");
    assert.deepEqual(refreshed, [[other]]);
    assert.equal(refreshed[0]![0], other);
    const kickoffIds = ["id-first", "x"];
    parts.store.update("other", (execution) => ({ ...execution, kickoffIds }));
    assert.equal(refreshed[1]![0], other);
    assert.equal(other?.kickoffId, "id-first");
  });

  it("shows the crew that an execution has moved to on all its rows, and one that is no longer connected", () => {
    add(notWaiting());
    const shown = () =>
      [rows()[0]!, ...tree.getChildren(rows()[0])].map((node) => "crew" in node && node.crew);
    assert.deepEqual(shown(), Array(3).fill(writers.id));
    setCrews(painters);
    assert.equal(descriptionOf(crewRows().at(-1)), "not connected");
    parts.store.update("local-1", (execution) => ({ ...execution, crew: painters }));
    assert.deepEqual(shown(), Array(3).fill(painters.id));
  });

  it("shows that an execution is being kicked off until its request has ended", async () => {
    isKickingOff = true;
    add(notWaiting({ kickoffIds: [], state: "unconfirmed" }));
    const [row] = rows();
    assert.match(String(descriptionOf(row)), /^Kicking off…/);
    refreshed.length = 0;
    isKickingOff = false;
    await clock.pass(1_000);
    assert.deepEqual(refreshed, [[row]]);
    assert.match(String(descriptionOf(row)), /^May have started/);
  });

  it("counts what waits in its badge", () => {
    const badge = () => view.badge && [view.badge.value, view.badge.tooltip];
    assert.equal(badge(), undefined);
    const second = { localId: "second", kickoffIds: ["second"] };
    add(anExecution(), anExecution(second));
    assert.deepEqual(badge(), [2, "2 to review"]);
    assert.equal(hasContext("crewdeck.hasWaiting"), true);
    parts.store.update("second", () => notWaiting(second));
    assert.equal(badge()?.[0], 1);
    parts.store.remove("local-1");
    assert.equal(badge(), undefined);
    assert.equal(hasContext("crewdeck.hasWaiting"), false);
  });

  it("shows on what has not ended that it isn't watched while its crew refuses the token", () => {
    add(another("runs"), { ...another("done"), state: "completed" });
    const running = rows().find(({ localId }) => localId === "runs");
    refreshed.length = 0;
    const refused = { kind: "unauthorized", message: "Refused.", remedy: "Replace it." } as const;
    refusing.set(writers.id, new CrewApiError(refused));
    trackerChanged.fire({ crewIds: [writers.id], localIds: [] });
    assert.deepEqual(new Set(refreshed.flat()), new Set([crewRows()[0], running]));
    assert.match(String(descriptionOf(running)), /not watched: token refused/);
  });

  it("reads no secret at the start, and later shows where this machine has no token", async () => {
    const says = (text: string) => waitFor(text, () => descriptionOf(crewRows()[0]) === text);
    tree.getTreeItem(crewRows()[0]!);
    await clock.pass(4_000);
    assert.deepEqual(tokensRead, []);
    await clock.pass(1_000);
    await says("No token on this machine");
    token = { kind: "stored", inUse: "bearer", types: ["bearer"] };
    tokenChanged.fire(writers.id);
    await clock.pass(0);
    await says("crew.test");
  });

  it("updates elapsed times only while it is visible and something runs", async () => {
    // When a tracked one began isn't known, and a needless update can lose a click.
    add(
      notWaiting(),
      { ...another("done"), state: "completed", endedAt: "2026-10-20T13:00:00Z" },
      { ...another("tracked", notWaiting().startedAt), origin: "tracked" },
    );
    await clock.pass(35_000);
    const running = rows().find(({ localId }) => localId === "local-1");
    for (const row of rows()) tree.getTreeItem(row);
    refreshed.length = 0;
    await clock.pass(10_000);
    assert.deepEqual(refreshed, [[running]]);
    assert.match(String(descriptionOf(running)), /4\d s/);
    view.show(false);
    assert.equal(clock.pending, 0);
    view.show(true);
    await clock.pass(0);
    assert.equal(clock.pending, 1);
    completed("local-1");
    completed("tracked");
    assert.equal(clock.pending, 0);
  });

  it("lists what waits across crews once, at the top", () => {
    setCrews(writers, painters);
    const second = { localId: "second", kickoffIds: ["second"], crew: painters, label: "Blue" };
    add(anExecution(), anExecution(second), another("busy"));
    const [top] = tree.getChildren();
    assert.deepEqual([labels([top!]), descriptionOf(top)], [["Waiting for you"], "2"]);
    assert.deepEqual(labels(tree.getChildren(top)).sort(), ["Blue", "Sea otters"]);
    assert.deepEqual(
      crewRows().map((crew) => labels(tree.getChildren(crew))),
      [["busy"], ["Kick off…"]],
    );
    const { contextValue = "" } = tree.getTreeItem(tree.getChildren(top)[0]!);
    assert.match(contextValue, /^execution:waiting:approve\b.*:stop\b/);
    refreshed.length = 0;
    parts.store.update("second", () => notWaiting(second));
    assert.ok(!refreshed.includes(undefined), "what goes on waiting keeps the rest as it is");
    parts.store.update("local-1", () => notWaiting());
    assert.deepEqual(labels(tree.getChildren()), ["Writers", "Painters"]);
  });

  it("has a crew of the open workspace before others", () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? assert.fail();
    const local = { folder, engine: "rehearsal", running: true } as const;
    const example = { ...local, folder: "file:///example" };
    setCrews(writers, { ...painters, local: example });
    assert.equal(hasContext("crewdeck.servesWorkspace"), false);
    setCrews(writers, painters, { ...painters, id: `local:${folder}`, name: "Mine", local });
    assert.deepEqual(labels(crewRows()), ["Mine", "Writers", "Painters"]);
    assert.equal(hasContext("crewdeck.servesWorkspace"), true);
  });

  it("offers to start a stopped local crew, and no longer to stop its executions", () => {
    const local = { folder: "file:///crew", engine: "rehearsal", running: false } as const;
    const factsOf = (more: object) => {
      setCrews({ ...writers, local: { ...local, ...more } });
      return tree.getTreeItem(rows()[0]!).contextValue ?? "";
    };
    add(notWaiting());
    assert.match(factsOf({}), /^execution:running:startLocalCrew(?!.*:stop\b)/);
    assert.match(factsOf({ starting: true }), /^execution:running:stop\b/);
  });

  it("shows only what matches the filter, and describes the filter and how many it hides", () => {
    add(anExecution(), another("tea"), another("cake"));
    tree.arrangement.setFilter({ text: "TEA", states: ["running"] });
    assert.deepEqual(labels(rows()), ["tea"]);
    assert.equal(view.message, "Running · “TEA” – 2 of 3 hidden");
    assert.equal(view.badge?.value, 1, "the badge counts what is hidden, too");
    tree.arrangement.setFilter({ text: "nothing like it", states: [] });
    // So that VS Code shows the welcome that offers to clear it.
    assert.deepEqual(tree.getChildren(), []);
    assert.deepEqual([view.message, view.description], [undefined, "“nothing like it”"]);
    tree.arrangement.setFilter(noFilter);
    assert.deepEqual([rows().length, view.message, view.description], [2, undefined, undefined]);
  });

  it("has a row for each project that isn't served, below the crews: it serves the project", async () => {
    const folder = "file:///work/home_energy";
    const folders = () =>
      tree.getChildren().flatMap((node) => (node.kind === "project" ? node.folder : []));
    tree.unserved = [folder];
    assert.deepEqual(folders(), [folder]);
    const row = tree.getChildren().at(-1)!;
    assert.deepEqual({ ...row }, { kind: "project", folder, here: true });
    assert.deepEqual(labels([row]), ["home_energy"]);
    assert.equal(tree.getTreeItem(row).command?.command, "crewdeck.startLocalCrew");
    refreshed.length = 0;
    tree.unserved = [folder];
    assert.deepEqual(refreshed, []);
    await tree.arrangement.groupBy("state");
    assert.deepEqual(folders(), [], "only among crews");
    await tree.arrangement.groupBy("crew");
    setCrews();
    assert.deepEqual(tree.getChildren(), [], "the welcome serves it");
  });

  it("selects a row that moved to another group, and expands it there if it was expanded", async () => {
    add(notWaiting());
    await tree.arrangement.groupBy("state");
    const [row] = executionsOf(tree.getChildren()[0]);
    view.selection = [row!];
    view.expand.fire({ element: row! });
    const progress = { completed: 2, total: 3, unit: "task" } as const;
    parts.store.update("local-1", (execution) => ({ ...execution, progress }));
    assert.deepEqual(view.revealed, [], "nothing to do where it stays");
    parts.store.update("local-1", () => anExecution());
    const [moved] = executionsOf(tree.getChildren()[0]);
    assert.deepEqual(view.revealed, [moved]);
    assert.equal(moved?.group, "waiting");
    view.selection = [moved];
    await tree.arrangement.groupBy("crew");
    view.visible = false;
    parts.store.update("local-1", (execution) =>
      without({ ...execution, state: "completed" }, "waiting"),
    );
    assert.equal(view.revealed.length, 1, "to reveal would open the view");
    const { collapsibleState } = tree.getTreeItem(rows()[0]!);
    assert.equal(collapsibleState, vscode.TreeItemCollapsibleState.Expanded);
  });

  it("shows the newest of a large group, and leads to the filter for others", async () => {
    const large = Array.from({ length: 1_200 }, (_, index) =>
      another(`many-${index}`, new Date(Date.UTC(2026, 9, 20) - index * 1000).toISOString()),
    );
    parts.store.list = () => large;
    parts.store.summary = (id) => large.find(({ localId }) => localId === id);
    await tree.arrangement.groupBy("crew");
    const shown = tree.getChildren(crewRows()[0]);
    assert.equal(shown.length, 501);
    const { label, command } = tree.getTreeItem(shown.at(-1)!);
    assert.deepEqual(
      [label, command?.command],
      ["700 older ones – filter to find them", "crewdeck.filterExecutions"],
    );
  });
});
