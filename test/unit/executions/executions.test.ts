import assert from "node:assert/strict";
import { Executions } from "../../../src/executions/executions.ts";
import type { Execution } from "../../../src/executions/model.ts";
import type { ExecutionStore } from "../../../src/executions/store.ts";
import type { Database } from "../../../src/store/database.ts";
import { waitFor } from "../../support/wait.ts";
import { FakeClock } from "./fake-clock.ts";
import { anApproval } from "../views/executions.ts";
import { anExecution, time } from "./samples.ts";
import { Windows } from "./windows.ts";

describe("Executions", () => {
  let windows: Windows;
  let clock: FakeClock;
  let database: Database;
  let executions: Executions;
  let store: ExecutionStore;
  let others: ExecutionStore;
  let problems: string[];
  let asked: string[];
  let keep: number;
  let begun: number;

  beforeEach(() => {
    windows = new Windows();
    others = windows.open();
    ({ database } = windows.openBoth());
    [clock, problems, asked, keep, begun] = [new FakeClock(), [], [], 0, 0];
    executions = new Executions({
      ...{ database, clock, keepEnded: () => keep },
      crews: {
        find: () => anExecution().crew,
        client: () =>
          Promise.resolve({
            status: (kickoffId) => (asked.push(kickoffId), new Promise(() => undefined)),
          }),
      },
      log: { problem: (message) => problems.push(message) },
    });
    ({ store } = executions);
  });
  afterEach(async () => {
    executions.dispose();
    await clock.pass(60_000);
    assert.equal(clock.pending, 0);
  });

  const open = (begin = () => Promise.resolve()) => executions.open(() => (begun++, begin()));

  for (const [what, begin, reported] of [
    ["hangs", () => new Promise<void>(() => undefined), []],
    ["fails", () => Promise.reject(new Error("no local crew")), ["Polling could not be prepared."]],
  ] as const)
    it(`are polled even if the preparation ${what}`, async () => {
      open(begin);
      store.add(anExecution({ kickoffIds: ["k-1"], state: "running" }));
      await waitFor("a request", async () => {
        await clock.pass(1000);
        return asked.length > 0;
      });
      assert.equal(begun, 1);
      assert.deepEqual(problems, reported);
    });

  it("move to a crew's new address together, or stay if one can't be changed", () => {
    open();
    const { crew } = anExecution();
    for (const localId of ["one", "two"])
      store.add(anExecution({ localId, kickoffIds: [localId] }));
    const fail = "BEFORE UPDATE ON executions WHEN new.local_id = 'two'";
    database.run(`CREATE TRIGGER fails ${fail} BEGIN SELECT RAISE(ABORT, 'no'); END`);
    const to = { id: "url:https://new.test", name: "New", url: "https://new.test" };
    const urls = () => ["one", "two"].map((localId) => store.find(localId)?.crew.url);
    assert.throws(() => executions.moveCrew(crew.id, to), /no/);
    assert.deepEqual(urls(), [crew.url, crew.url]);
    database.run("DROP TRIGGER fails");
    executions.moveCrew(crew.id, to);
    assert.deepEqual(urls(), [to.url, to.url]);
    assert.deepEqual([problems, asked], [[], []]);
  });

  it("are watched only after 5 s if they were there before", async () => {
    others.add(anExecution());
    open();
    await clock.pass(4_999);
    assert.deepEqual([store.list().length, begun], [1, 0]);
    await clock.pass(1);
    assert.equal(begun, 1);
  });

  describe("are watched", () => {
    const addElsewhere = (changes: Partial<Execution> = {}) => {
      others.add(anExecution(changes));
      store.refresh();
    };

    beforeEach(() => open());

    it("at once, and from then on, when this window starts or tracks one", async () => {
      store.add(anExecution());
      assert.equal(begun, 1);
      store.add(anExecution({ localId: "another" }));
      await clock.pass(10_000);
      assert.equal(begun, 1);
    });

    it("at once for what another window starts after these 5 s, unless it has ended", async () => {
      await clock.pass(5_000);
      addElsewhere({ localId: "ended", state: "completed" });
      assert.deepEqual([store.list().length, begun], [1, 0]);
      addElsewhere();
      assert.equal(begun, 1);
    });

    it("for one that has ended if its callbacks are still sent", async () => {
      await clock.pass(5_000);
      const undelivered = { kind: "crew", count: 1, attempts: 1 };
      addElsewhere({ state: "completed", undelivered: [{ ...undelivered, isGivenUp: true }] });
      assert.deepEqual([store.list().length, begun], [1, 0]);
      addElsewhere({ state: "completed", undelivered: [undelivered], localId: "late" });
      assert.equal(begun, 1);
    });

    it("no longer when all are deleted, here or elsewhere, until there is one again", async () => {
      for (const clear of [
        () => executions.clear("data", () => undefined),
        () => others.clear("data"),
      ]) {
        begun = 0;
        store.add(anExecution());
        assert.deepEqual([begun, executions.leader.isThisWindow], [1, true]);
        others.refresh();
        clear();
        store.refresh();
        await clock.pass(10_000);
        assert.deepEqual([begun, executions.leader.isThisWindow], [1, false]);
      }
    });

    it("never after a window closes", async () => {
      executions.dispose();
      addElsewhere();
      await clock.pass(10_000);
      assert.equal(begun, 0);
    });
  });

  describe("are limited", () => {
    const ended = (localId: string, seconds: number, changes: Partial<Execution> = {}) => {
      const known = { localId, kickoffIds: [localId], endedAt: time(seconds) };
      store.add(anExecution({ ...known, state: "completed", ...changes }));
    };
    const left = () => store.list().map(({ localId }) => localId);

    beforeEach(() => {
      open();
      keep = 2;
    });

    it("to those that ended last, whenever they were started; 0 keeps all", async () => {
      keep = 0;
      ended("a", 30);
      ended("b", 10);
      ended("c", 20, { state: "failed" });
      ended("d", 40, { startedAt: "2020-01-01T00:00:00.000Z" });
      store.add(anExecution({ localId: "runs", state: "running" }));
      await clock.pass(20_000);
      assert.equal(left().length, 5);
      keep = 2;
      ended("e", 50);
      await clock.pass(20_000);
      assert.deepEqual(left().sort(), ["d", "e", "runs"]);
    });

    it("without those that run, wait, are pinned or may continue", async () => {
      keep = 1;
      const states = ["queued", "running", "waiting", "unknown", "unconfirmed"] as const;
      for (const state of states) store.add(anExecution({ localId: state, state }));
      ended("pinned", 1, { pinned: true });
      ended("sending", 2, { resumes: [anApproval("sending")] });
      ended("x", 3);
      ended("y", 4);
      await clock.pass(20_000);
      assert.deepEqual(left().sort(), ["pinned", "sending", "y", ...states].sort());
    });

    it("only by the window that polls, a while after each end", async () => {
      for (const [index, id] of ["a", "b", "c"].entries()) ended(id, index);
      store.add(anExecution({ localId: "runs", state: "running" }));
      database.run("UPDATE lease SET owner = 'another'");
      await clock.pass(11_000);
      assert.equal(left().length, 4, "another window does it");
      executions.leader.takeOver();
      const end = { state: "completed", endedAt: time(60) } as const;
      store.update("runs", (execution) => ({ ...execution, ...end }));
      await clock.pass(9_000);
      assert.equal(left().length, 4, "not in the middle of a burst");
      await clock.pass(2_000);
      assert.deepEqual(left().sort(), ["c", "runs"]);
    });
  });
});
