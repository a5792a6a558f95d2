import assert from "node:assert/strict";
import { nextToReview } from "../../../src/executions/model.ts";
import { anExecution, notWaiting } from "./executions.ts";

describe("the executions that wait", () => {
  const waits = anExecution({ localId: "waits" });
  const runs = notWaiting({ localId: "runs" });

  it("are reviewed oldest first, forwards and backwards, around the ends", () => {
    const since = (localId: string, minute: number) =>
      anExecution({
        localId,
        waiting: { taskId: "a", attempt: 1, since: `2026-10-21T12:0${minute}:00.000Z` },
      });
    const all = [since("c", 3), since("a", 1), runs, since("b", 2)];
    const from = (current: string | undefined, step: 1 | -1) =>
      nextToReview(all, current, step)?.localId;
    const places = [undefined, "a", "b", "c", "runs"];
    assert.equal(places.map((current) => from(current, 1)).join(), "a,b,c,a,a");
    assert.equal(places.map((current) => from(current, -1)).join(), "c,c,a,b,c");
    assert.equal(nextToReview([runs, waits], "waits", 1), undefined);
    assert.equal(nextToReview([runs], undefined, 1), undefined);
  });
});
