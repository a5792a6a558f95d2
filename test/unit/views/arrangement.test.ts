import assert from "node:assert/strict";
import type { ExecutionChange } from "../../../src/executions/store.ts";
import {
  Arrangement,
  crewGroup,
  type ExecutionNode,
  filterLabel,
  idOf,
  inOrder,
  noFilter,
  partsOf,
  passes,
  type Rules,
  showAttempt,
  type TaskNode,
  waitingGroup,
} from "../../../src/views/tree/arrangement.ts";
import { anExecution, notWaiting } from "./executions.ts";
import {
  type Execution,
  type ExecutionSummary,
  waitsForPerson,
  without,
} from "../../../src/executions/model.ts";
import { groupRow, isOpenAtFirst } from "../../../src/views/tree/rows.ts";

const writers = anExecution().crew;
const painters = { id: "url:https://other.test", name: "Painters", url: "https://other.test" };
const [ofWriters, ofPainters] = [crewGroup(writers.id), crewGroup(painters.id)];
const running = (localId: string, changes: Partial<Execution> = {}) =>
  notWaiting({ localId, kickoffIds: [`id-${localId}`], ...changes });
const at = (minute: number) => `2026-10-21T12:${String(minute).padStart(2, "0")}:00.000Z`;
const none = { added: [], changed: [], removed: [] };

describe("the group of an execution", () => {
  let arrangement: Arrangement;
  let all: readonly ExecutionSummary[];
  const ids = (group: string) => arrangement.members(group).map(({ localId }) => localId);
  const arrange = (executions: readonly ExecutionSummary[], rules?: Rules) => {
    all = executions;
    arrangement.arrange(all, rules);
  };
  /** Applies a change of the store. */
  const apply = (change: Partial<ExecutionChange>) => {
    const { added, changed, removed } = { ...none, ...change };
    const next = [...added, ...changed];
    const gone = [...removed, ...next].map(({ localId }) => localId);
    all = [...all.filter(({ localId }) => !gone.includes(localId)), ...next].sort((a, b) =>
      a.startedAt === b.startedAt
        ? a.localId.localeCompare(b.localId)
        : b.startedAt.localeCompare(a.startedAt),
    );
    return arrangement.apply(all, { added, changed, removed });
  };

  beforeEach(() => {
    arrangement = new Arrangement(
      { get: () => undefined, update: () => Promise.resolve() },
      () => undefined,
    );
    arrange([
      running("b", { startedAt: at(2) }),
      running("a", { startedAt: at(1) }),
      running("p", { crew: painters }),
    ]);
  });

  it("is its crew, newest first and pinned before all", () => {
    assert.deepEqual([ids(ofWriters), ids(ofPainters)], [["b", "a"], ["p"]]);
    const { groups } = apply({
      changed: [running("a", { startedAt: at(1), pinned: true })],
      added: [running("c", { startedAt: at(3) })],
    });
    assert.deepEqual(ids(ofWriters), ["a", "c", "b"]);
    assert.deepEqual([...groups], [ofWriters]);
  });

  it("is “Waiting for you”, and no other, while it waits or may be waiting", () => {
    const waits = anExecution({ localId: "a", startedAt: at(1) });
    assert.deepEqual(apply({ changed: [waits] }), {
      groups: new Set([ofWriters, waitingGroup]),
      rows: [],
    });
    const mayWait = running("p", { crew: painters, state: "unknown", mayBeWaiting: true });
    apply({ changed: [mayWait] });
    assert.deepEqual([ids(waitingGroup), ids(ofWriters), ids(ofPainters)], [["a", "p"], ["b"], []]);
    assert.equal(arrangement.groupOf("a"), waitingGroup);
    apply({ changed: [running("a", { startedAt: at(1) })], removed: [running("p")] });
    assert.deepEqual(arrangement.groups(), [ofWriters]);
  });

  it("isn't “Waiting for you” for an ID that its crew has never known", () => {
    const unknown = { origin: "tracked", state: "unknown", mayBeWaiting: true, tasks: [] } as const;
    arrange([without(running("x", unknown), "progress")]);
    assert.ok(!arrangement.groups().includes(waitingGroup));
  });

  it("by state is one only, “Waiting for you” if it waits", () => {
    const byState = { grouping: "state", filter: noFilter } as const;
    arrange([running("r"), anExecution(), running("c", { state: "completed" })], byState);
    const groups = ["state completed", "state running", waitingGroup];
    assert.deepEqual(arrangement.groups().toSorted(), groups);
    assert.equal(arrangement.groupOf("local-1"), waitingGroup);
    const after = apply({ changed: [running("r", { state: "failed" })] }).groups;
    assert.deepEqual([...after], ["state running", "state failed"]);
  });

  it("by day is the day of its start, in local time", () => {
    const noon = (day: number) => new Date(2026, 9, day, 12).toISOString();
    const both = [running("r", { startedAt: noon(21) }), running("s", { startedAt: noon(20) })];
    arrange(both, { grouping: "day", filter: noFilter });
    assert.deepEqual(arrangement.groups(), ["day 2026-10-21", "day 2026-10-20"]);
  });

  it("stays if a change moves nothing: only the row changes", () => {
    const after = running("b", { startedAt: at(2), seenAt: at(9) });
    const { groups, rows } = apply({ changed: [after] });
    assert.deepEqual([groups.size, rows.map((row) => row.after)], [0, [after]]);
    assert.equal(arrangement.members(ofWriters)[0], after);
  });

  it("changes when its crew changes", () => {
    const { groups } = apply({ changed: [running("p")] });
    assert.deepEqual([...groups], [ofPainters, ofWriters]);
  });

  it("is none if the filter hides it; hidden and hidden waiting executions are counted", () => {
    arrange([running("r"), anExecution(), running("c", { state: "completed", label: "Tea" })], {
      grouping: "crew",
      filter: { text: "tea", states: [] },
    });
    assert.deepEqual(
      [ids(ofWriters), arrangement.hidden.length, arrangement.hidden.filter(waitsForPerson).length],
      [["c"], 2, 1],
    );
    apply({ changed: [running("r", { label: "More tea" })] });
    assert.deepEqual([ids(ofWriters).length, arrangement.hidden.length], [2, 1]);
  });
});

describe("the rows of the tree as arguments of commands", () => {
  const row = {
    group: "crew url:https://crew.test",
    crew: "url:https://crew.test",
    localId: "local-1",
    kickoffId: "11111111-aaaa",
  };
  const waiting = anExecution({ waiting: { ...anExecution().waiting!, attempt: 2 } });

  it("name the waiting attempt that they show", () => {
    const execution: ExecutionNode = { kind: "execution", ...row };
    const [review, research] = ["review", "research"].map((taskId): TaskNode => ({
      kind: "task",
      ...row,
      taskId,
    }));
    for (const node of [execution, review!, research!]) showAttempt(node, waiting);
    assert.deepEqual([execution.attempt, review!.attempt], [2, 2]);
    assert.ok(!("attempt" in research!));
    showAttempt(execution, notWaiting());
    assert.ok(!("attempt" in execution));
  });

  it("have a constant ID, and another one for the same execution in another group", () => {
    const execution: ExecutionNode = { kind: "execution", ...row };
    const task: TaskNode = { kind: "task", ...row, taskId: "review" };
    const nodes = [
      execution,
      task,
      { ...execution, group: "waiting" },
      { ...task, group: "waiting" },
      { kind: "group", group: "waiting" },
      { kind: "crew", crew: row.crew },
      { kind: "hint", crew: row.crew },
    ] as const;
    assert.equal(new Set(nodes.map(idOf)).size, nodes.length);
    assert.equal(idOf({ ...execution, kickoffId: "other", attempt: 2 }), idOf(execution));
  });
});

describe("the filter of executions", () => {
  const execution = anExecution({
    label: "Morning run",
    kickoffIds: ["first-id", "second-id"],
    request: { inputs: { topic: "Sea otters", file: 'C:\\new "maps"' }, callbacks: {} },
  });
  const finds = (text: string) => passes({ text, states: [] })(execution);

  for (const [what, text] of [
    ["title", "morning"],
    ["crew", "WRITERS"],
    ["first id", "first-i"],
    ["an id that a resume brought", "second-id"],
    ["an input's value", "OTTERS"],
    ["an input's value as it was given", 'C:\\new "maps"'],
  ] as const) {
    it(`finds by ${what}`, () => assert.ok(finds(text)));
  }

  it("requires every word, in any order", () => {
    assert.ok(finds("  otters   morning "));
    assert.ok(!finds("otters evening"));
  });

  it("requires one of the states, and counts “may be waiting” as waiting", () => {
    const wanted = passes({ text: "", states: ["waiting", "failed"] });
    assert.ok(wanted(execution));
    assert.ok(wanted(notWaiting({ state: "failed" })));
    assert.ok(wanted(notWaiting({ state: "unknown", mayBeWaiting: true })));
    assert.ok(!wanted(notWaiting()));
    assert.ok(!passes({ text: "nothing", states: ["waiting"] })(execution), "both must match");
  });

  it("has a label, and says whether it is set", () => {
    const label = filterLabel({ text: " tea ", states: ["failed", "stopped"] });
    assert.equal(label, "Failed, Stopped · “tea”");
    assert.equal(filterLabel({ text: " ", states: [] }), "");
  });
});

describe("groups of executions", () => {
  const now = new Date(2026, 9, 21, 15, 30).getTime();

  it("are sorted by urgency of the state, or newest day first", () => {
    assert.deepEqual(inOrder(["state completed", "state failed", "state running"], "state"), [
      "state running",
      "state failed",
      "state completed",
    ]);
    assert.deepEqual(inOrder(["day 2026-10-09", "day 2026-10-21", "day 2025-12-31"], "day"), [
      "day 2026-10-21",
      "day 2026-10-09",
      "day 2025-12-31",
    ]);
  });

  it("have keys that can be parsed", () => {
    const parts = [partsOf("crew url:https://a b"), partsOf("day 2026-10-21"), partsOf("waiting")];
    assert.deepEqual(parts, [
      { kind: "crew", of: "url:https://a b" },
      { kind: "day", of: "2026-10-21" },
      { kind: "waiting", of: "" },
    ]);
  });

  it("show label and count in the row and to screen readers", () => {
    const row = (group: string, size: number) => groupRow(group, size, "en-GB");
    assert.deepEqual(
      [row("waiting", 2).label, row("waiting", 2).description, row("waiting", 2).sentence],
      ["Waiting for you", "2", "Waiting for you, executions: 2"],
    );
    assert.match(row("day 2026-10-19", 1).label, /^Monday,? 19 October 2026$/);
    assert.deepEqual(
      [row("waiting", 1).facts, row("state failed", 1).facts, row("day 2026-10-21", 1).facts],
      ["group:waiting", "group:state", "group:day"],
    );
  });

  it("are expanded at first if they are active or recent", () => {
    const open = ["waiting", "state running", "state unknown", "day 2026-10-21", "day 2026-10-20"];
    const closed = ["state failed", "state completed", "state stopped", "day 2026-10-18"];
    const opened = [...open, ...closed].filter((group) => isOpenAtFirst(group, now));
    assert.deepEqual(opened, open);
  });
});
