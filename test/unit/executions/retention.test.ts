import assert from "node:assert/strict";
import type { Execution, ExecutionSummary, SentResume } from "../../../src/executions/model.ts";
import { keepTrimmed, tooMany } from "../../../src/executions/executions.ts";
import { waitFor } from "../../support/wait.ts";
import { FakeClock } from "./fake-clock.ts";
import { anExecution, at } from "./samples.ts";
import { Windows } from "./windows.ts";

const ended = (localId: string, seconds: number, changes: Partial<Execution> = {}) =>
  anExecution({
    localId,
    kickoffIds: [localId],
    state: "completed",
    endedAt: new Date(at(seconds)).toISOString(),
    ...changes,
  });
const idsOf = (executions: readonly ExecutionSummary[]) =>
  executions.map(({ localId }) => localId).sort();

describe("the limit of ended executions", () => {
  it("removes those that ended first, whenever they were started", () => {
    const list = [
      ended("a", 30),
      ended("b", 10),
      ended("c", 20, { state: "failed" }),
      ended("d", 40, { startedAt: "2020-01-01T00:00:00.000Z" }),
    ];
    assert.deepEqual(idsOf(tooMany(list, 2)), ["b", "c"]);
    assert.deepEqual(tooMany(list, 4), []);
    assert.deepEqual(tooMany(list, 0), [], "0 keeps all");
  });

  it("excludes executions that run, wait, are pinned or may continue", () => {
    const sending: SentResume = {
      taskId: "t",
      attempt: 1,
      feedback: { isApprove: true, text: "", at: "2026-10-21T12:00:00.000Z" },
      outcome: "sending",
    };
    const open = (["queued", "running", "waiting", "unknown", "unconfirmed"] as const).map(
      (state) => anExecution({ localId: state, state }),
    );
    assert.deepEqual(
      idsOf(
        tooMany(
          [
            ...open,
            ended("pinned", 1, { pinned: true }),
            ended("sending", 2, { resumes: [sending] }),
            ended("x", 3),
            ended("y", 4),
          ],
          1,
        ),
      ),
      ["x"],
    );
  });

  it("is applied only by the window with the lease, a while after the start and after each end", async () => {
    const clock = new FakeClock();
    const windows = new Windows();
    const store = windows.open();
    let isHeld = false;
    let keep = 2;
    for (const [index, id] of ["a", "b", "c"].entries()) store.add(ended(id, index));
    const retention = keepTrimmed({
      store,
      lease: { confirm: () => isHeld },
      clock,
      keepEnded: () => keep,
      log: { problem: (_message, error) => assert.fail(String(error)) },
    });
    try {
      await clock.pass(20_000);
      assert.deepEqual(idsOf(store.list()), ["a", "b", "c"], "another window does it");
      isHeld = true;
      store.add(anExecution({ localId: "runs", state: "running" }));
      store.update("runs", (execution) => ({
        ...execution,
        state: "completed",
        endedAt: new Date(at(60)).toISOString(),
      }));
      await clock.pass(9_000);
      assert.equal(store.list().length, 4, "not in the middle of a burst");
      await clock.pass(2_000);
      await waitFor("the list to be cut", () => store.list().length === 2);
      assert.deepEqual(idsOf(store.list()), ["c", "runs"]);
      keep = 0;
      store.add(ended("d", 70));
      await clock.pass(20_000);
      assert.equal(store.list().length, 3);
    } finally {
      retention.dispose();
      await windows.close();
      assert.equal(clock.pending, 0);
    }
  });
});
