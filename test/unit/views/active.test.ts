import assert from "node:assert/strict";
import { without } from "../../../src/executions/model.ts";
import { activeOf, nextToReview } from "../../../src/views/waiting.ts";
import { anExecution, notWaiting } from "./executions.ts";

const idsOf = (executions: readonly { readonly localId: string }[]) =>
  executions.map(({ localId }) => localId);

describe("the active executions", () => {
  const waits = anExecution({ localId: "waits" });
  const mayWait = notWaiting({ localId: "may-wait", state: "unknown", mayBeWaiting: true });
  const runs = notWaiting({ localId: "runs" });
  const queued = notWaiting({ localId: "queued", state: "queued" });
  const others = [
    notWaiting({ localId: "done", state: "completed" }),
    notWaiting({ localId: "given-up", watchingStoppedAt: "2026-10-22T12:00:00.000Z" }),
    notWaiting({ localId: "unconfirmed", state: "unconfirmed" }),
    without({ ...mayWait, localId: "mistyped", origin: "tracked", tasks: [] }, "progress"),
  ];

  it("are those that wait or run, not those that have ended or are unknown", () => {
    const { waiting, running } = activeOf([waits, runs, ...others, mayWait, queued], []);
    assert.deepEqual(idsOf(waiting), ["waits", "may-wait"]);
    assert.deepEqual(idsOf(running), ["runs", "queued"]);
  });

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

  it("are not those that a restart interrupted", () => {
    const held = notWaiting({ localId: "held", kickoffIds: ["held", "held-2"] });
    const interrupted = ["held-2"];
    const local = { folder: "file:///crew", engine: "crewai", running: true, interrupted } as const;
    const { running } = activeOf([runs, held], [{ ...held.crew, local }]);
    assert.deepEqual(idsOf(running), ["runs"]);
  });
});
