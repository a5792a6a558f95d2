import assert from "node:assert/strict";
import { keepEnd } from "../../../src/executions/history.ts";
import { anExecution, time } from "./samples.ts";

describe("an ended execution", () => {
  const ended = anExecution({ state: "completed", output: "Done", endedAt: time(60) });

  it("accepts a label and a pin, and their removal", () => {
    const owned = { label: "Mine", pinned: true } as const;
    const taken = keepEnd(ended, { ...ended, ...owned });
    assert.deepEqual(taken, { ...ended, ...owned });
    assert.deepEqual(keepEnd(taken, ended), ended);
  });

  it("accepts which callbacks have not arrived", () => {
    const late = { ...ended, undelivered: [{ kind: "crew", count: 1, attempts: 1 }] };
    assert.deepEqual(keepEnd(ended, late), late);
    assert.deepEqual(keepEnd(late, ended), ended);
  });

  it("accepts no other change", () => {
    const late = { state: "running", output: "Other", stateText: "RUNNING" } as const;
    assert.deepEqual(keepEnd(ended, { ...ended, ...late, seenAt: time(90) }), ended);
  });
});
