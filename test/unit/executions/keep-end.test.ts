import assert from "node:assert/strict";
import type { Execution } from "../../../src/executions/model.ts";
import { keepEnd } from "../../../src/executions/history.ts";
import { anExecution, time } from "./samples.ts";

describe("an ended execution", () => {
  const ended = anExecution({
    state: "completed",
    output: "Done",
    endedAt: time(60),
  });

  it("accepts a label, a pin and continued watching, and their removal", () => {
    const owned: Partial<Execution> = {
      label: "Mine",
      pinned: true,
      watchedSince: time(90),
    };
    const taken = keepEnd(ended, { ...ended, ...owned });
    assert.deepEqual(taken, { ...ended, ...owned });
    assert.deepEqual(keepEnd(taken, ended), ended);
  });

  it("accepts a request to continue watching just after its end", () => {
    assert.equal(keepEnd(ended, { ...ended, watchedSince: time(90) }).watchedSince, time(90));
  });

  it("accepts which callbacks have not arrived", () => {
    const late = { ...ended, undelivered: [{ kind: "crew", count: 1, attempts: 1 }] };
    assert.deepEqual(keepEnd(ended, late), late);
    assert.deepEqual(keepEnd(late, ended), ended);
  });

  it("accepts no other change", () => {
    assert.deepEqual(
      keepEnd(ended, {
        ...ended,
        state: "running",
        output: "Other",
        stateText: "RUNNING",
        seenAt: time(90),
      }),
      ended,
    );
  });
});
