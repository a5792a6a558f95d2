import assert from "node:assert/strict";
import { ExecutionList } from "../../../src/executions/execution-list.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { anExecution, at } from "./samples.ts";

describe("The executions in memory", () => {
  let known: ExecutionList;
  const one = (localId: string, seconds: number, changes: Partial<Execution> = {}): Execution =>
    anExecution({
      localId,
      kickoffIds: [localId],
      startedAt: new Date(at(seconds)).toISOString(),
      ...changes,
    });
  const order = () =>
    known
      .list()
      .map(({ localId }) => localId)
      .join(" ");

  beforeEach(() => {
    known = new ExecutionList();
    for (const [localId, seconds] of [
      ["b", 20],
      ["d", 0],
      ["a", 30],
      ["c", 20],
    ] as const)
      known.put(localId, 1, one(localId, seconds));
    assert.equal(order(), "a b c d");
  });

  it("stay sorted, newest first, through every change", () => {
    known.put("e", 1, one("e", 25));
    assert.equal(order(), "a e b c d");
    known.put("d", 2, one("d", 0, { state: "running" }));
    assert.equal(known.list().at(-1)?.state, "running");
    known.put("d", 3, one("d", 40));
    assert.equal(order(), "d a e b c");
    known.drop("a");
    known.put("b", 2, undefined);
    assert.equal(order(), "d e c");
    known.drop("a");
    assert.equal(order(), "d e c");
  });

  it("don't change a list that was returned earlier", () => {
    const list = known.list();
    known.put("z", 1, one("z", 99));
    known.drop("a");
    assert.deepEqual(
      list.map(({ localId }) => localId),
      ["a", "b", "c", "d"],
    );
  });
});
