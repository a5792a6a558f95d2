import assert from "node:assert/strict";
import { toReview } from "../../../src/executions/model.ts";
import { countMessage, type News, reportsOf } from "../../../src/views/events.ts";
import { anExecution, notWaiting } from "./executions.ts";

describe("Notifications at about the same time", () => {
  const item = (kind: "waiting" | "failed", number: number): News => ({
    execution: anExecution(),
    event: { kind, key: `${kind} ${number}`, message: "" },
  });
  const items = (kind: "waiting" | "failed", count: number) =>
    Array.from({ length: count }, (_, number) => item(kind, number));

  it("are shown one by one up to three of a kind, and as a count above that", () => {
    assert.deepEqual(reportsOf([]), []);
    const [three, four] = [items("waiting", 3), items("failed", 4)];
    assert.deepEqual(reportsOf([...three, ...four]), [...three.map((one) => [one]), four]);
  });

  it("say how many executions wait, failed or completed", () => {
    assert.deepEqual(
      [countMessage("waiting", 15), countMessage("waiting", 1)],
      ["15 executions wait for you.", "1 execution waits for you."],
    );
    assert.deepEqual(
      [countMessage("failed", 4), countMessage("completed", 4)],
      ["4 executions failed, or were stopped before their end.", "4 executions are completed."],
    );
  });

  it("lead to the execution that waits longest", () => {
    const waiting = (localId: string, since: string) =>
      anExecution({ localId, waiting: { taskId: "review", attempt: 1, since } });
    const all = [
      waiting("new", "2026-10-21T12:09:00.000Z"),
      waiting("old", "2026-10-21T12:01:00.000Z"),
      waiting("middle", "2026-10-21T12:05:00.000Z"),
      notWaiting(),
    ];
    assert.equal(toReview(all)[0]?.localId, "old");
    const sinceOneAnswer = ["2026-10-21T11:00:02.000Z", "2026-10-21T11:00:01.000Z"].map(
      (startedAt) => ({ ...waiting(startedAt, "2026-10-21T12:00:00.000Z"), startedAt }),
    );
    assert.equal(toReview(sinceOneAnswer)[0]?.localId, "2026-10-21T11:00:01.000Z");
    assert.deepEqual(toReview([notWaiting()]), []);
  });
});
