import assert from "node:assert/strict";
import { without } from "../../../src/executions/model.ts";
import { activeOf, theOne } from "../../../src/views/waiting.ts";
import { anExecution, notWaiting } from "./executions.ts";

const idsOf = (executions: readonly { readonly localId: string }[]) =>
  executions.map(({ localId }) => localId);

describe("what is going on", () => {
  const waits = anExecution({ localId: "waits" });
  const mayWait = notWaiting({ localId: "may-wait", state: "unknown", mayBeWaiting: true });
  const runs = notWaiting({ localId: "runs" });
  const queued = notWaiting({ localId: "queued", state: "queued" });
  const others = [
    notWaiting({ localId: "done", state: "completed" }),
    notWaiting({ localId: "given-up", watchingStoppedAt: "2026-10-22T12:00:00.000Z" }),
    notWaiting({ localId: "unconfirmed", state: "unconfirmed" }),
    without(
      notWaiting({
        localId: "mistyped",
        origin: "tracked",
        state: "unknown",
        mayBeWaiting: true,
        tasks: [],
      }),
      "progress",
    ),
  ];

  it("is what waits and what runs, and nothing that has ended or that nobody knows", () => {
    const { waiting, running } = activeOf([waits, runs, ...others, mayWait, queued]);
    assert.deepEqual(
      [idsOf(waiting), idsOf(running)],
      [
        ["waits", "may-wait"],
        ["runs", "queued"],
      ],
    );
  });

  it("leads to the one that waits, or where nothing does to the one that runs, and asks where there is a choice", () => {
    assert.equal(theOne(activeOf([runs, queued, waits])), waits);
    assert.equal(theOne(activeOf([runs, ...others])), runs);
    assert.equal(theOne(activeOf([waits, mayWait])), undefined);
    assert.equal(theOne(activeOf(others)), undefined);
  });
});
