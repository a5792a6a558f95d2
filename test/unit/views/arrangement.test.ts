import assert from "node:assert/strict";
import type { ExecutionChange } from "../../../src/executions/store.ts";
import { Arrangement, type Rules } from "../../../src/views/tree/arrangement.ts";
import { crewGroup, noFilter, waitingGroup } from "../../../src/views/tree/arrangement.ts";
import { anExecution, notWaiting } from "./executions.ts";
import {
  type Execution,
  type ExecutionSummary,
  waitsForPerson,
  without,
} from "../../../src/executions/model.ts";

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
    assert.ok(!arrangement.has(waitingGroup) && !arrangement.has(ofPainters));
  });

  it("isn't “Waiting for you” for an ID that its crew has never known", () => {
    const unknown = { origin: "tracked", state: "unknown", mayBeWaiting: true, tasks: [] } as const;
    arrange([without(running("x", unknown), "progress")]);
    assert.ok(!arrangement.has(waitingGroup));
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
      [
        ids(ofWriters),
        arrangement.hidden.length,
        arrangement.hidden.filter(waitsForPerson).length,
        arrangement.size,
      ],
      [["c"], 2, 1, 3],
    );
    apply({ changed: [running("r", { label: "More tea" })] });
    assert.deepEqual([ids(ofWriters).length, arrangement.hidden.length], [2, 1]);
    assert.equal(arrangement.count({ text: "", states: ["waiting"] }), 1);
  });
});
