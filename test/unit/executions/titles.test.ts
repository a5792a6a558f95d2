import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/api/types.ts";
import { join, Known } from "../../../src/executions/known.ts";
import { without, type Execution } from "../../../src/executions/model.ts";
import { sharesTitle, titleOf } from "../../../src/executions/title.ts";
import { anExecution, at } from "./samples.ts";

const crewOf = (name: string) => ({
  id: `url:https://${name}.test`,
  name,
  url: `https://${name}.test`,
});

describe("Titles of a crew's executions", () => {
  let known: Known;
  let revision: number;

  beforeEach(() => {
    known = new Known();
    revision = 0;
  });

  /** One more execution, or another state of one; `second` is when it was started. @returns the ids of those whose title changed */
  const put = (
    second: number,
    inputs: JsonObject | undefined,
    changes: Partial<Execution> = {},
  ): string[] => {
    const localId = `e${second}`;
    const execution = anExecution({
      localId,
      kickoffIds: [`id-of-${localId}`],
      startedAt: new Date(at(second)).toISOString(),
      ...changes,
    });
    const step = known.put(
      localId,
      ++revision,
      inputs === undefined
        ? without(execution, "request")
        : { ...execution, request: { inputs, callbacks: {} } },
    );
    assert.ok(join([step]));
    return known.takeRetitled().map((execution) => execution.localId);
  };
  const drop = (second: number) => {
    known.drop(`e${second}`);
    return known.takeRetitled().map((execution) => execution.localId);
  };
  /** Oldest first. */
  const titles = () => known.list().toReversed().map(titleOf);

  it("are short, also where a label is long", () => {
    put(0, { topic: "e-bikes" }, { label: "l".repeat(5_000) });
    put(1, { topic: "e".repeat(5_000) });
    assert.deepEqual(
      titles().map(({ length }) => length),
      [120, 60],
    );
  });

  it("are made from the inputs in which they differ", () => {
    for (const [second, audience] of ["commuters", "seniors", "children"].entries())
      put(second, { topic: "e-bikes", audience, tone: "dry" });
    assert.deepEqual(titles(), ["commuters", "seniors", "children"]);
    put(3, { topic: "trams", audience: "children", tone: "dry" });
    assert.deepEqual(titles(), [
      "e-bikes · commuters",
      "e-bikes · seniors",
      "e-bikes · children",
      "trams · children",
    ]);
  });

  it("are the first input of one that is alone, whatever other crews have", () => {
    put(0, { topic: "e-bikes", audience: "commuters" });
    put(1, { topic: "trams", audience: "commuters" }, { crew: crewOf("other") });
    assert.deepEqual(titles(), ["e-bikes", "trams"]);
  });

  it("include the input's name where the value is a number, a truth value or an object", () => {
    for (const [second, budget] of [100, "2,000 €", true, { max: 3 }, "", "cheap"].entries())
      put(second, { topic: "e-bikes", budget });
    assert.deepEqual(titles(), [
      "budget: 100",
      "budget: 2,000 €",
      "budget: true",
      'budget: {"max":3}',
      "e-bikes",
      "cheap",
    ]);
  });

  it("use an input that only some executions have, and ignore executions that were started elsewhere", () => {
    put(0, { topic: "e-bikes" });
    put(1, undefined, { origin: "tracked" });
    assert.deepEqual(titles(), ["e-bikes", "id-of-e1"]);
    put(2, { topic: "e-bikes", audience: "seniors" });
    assert.deepEqual(titles(), ["e-bikes", "id-of-e1", "seniors"]);
  });

  it("show something of each of several inputs, however long the first is", () => {
    put(0, { topic: "x".repeat(500), audience: "commuters" });
    put(1, { topic: "y".repeat(500), audience: "seniors" });
    assert.deepEqual(titles(), [`${"x".repeat(47)}… · commuters`, `${"y".repeat(49)}… · seniors`]);
    assert.ok(titles().every((title) => title.length === 60));
  });

  it("that are the same are numbered in the order of their start, labels among them", () => {
    for (const second of [5, 1, 3]) put(second, { topic: "e-bikes" });
    put(4, { topic: "e-bikes" }, { label: "e-bikes" });
    assert.deepEqual(titles(), ["e-bikes", "e-bikes (2)", "e-bikes (3)", "e-bikes (4)"]);
    assert.ok(known.list().every(sharesTitle));
    put(2, { topic: "e-bikes" }, { label: "The one for the board" });
    assert.deepEqual(titles(), [
      "e-bikes",
      "The one for the board",
      "e-bikes (2)",
      "e-bikes (3)",
      "e-bikes (4)",
    ]);
    assert.deepEqual(known.list().toReversed().map(sharesTitle), [true, false, true, true, true]);
  });

  it("are numbered without a gap when an older one is removed, as another window or a later one numbers them", () => {
    for (const second of [1, 2, 3]) put(second, { topic: "e-bikes", audience: "seniors" });
    assert.deepEqual(titles(), ["e-bikes", "e-bikes (2)", "e-bikes (3)"]);
    assert.deepEqual(drop(1).sort(), ["e2", "e3"]);
    assert.deepEqual(titles(), ["e-bikes", "e-bikes (2)"]);
    put(4, { topic: "e-bikes", audience: "seniors" });
    put(0, { topic: "e-bikes", audience: "seniors" });
    assert.deepEqual(titles(), ["e-bikes", "e-bikes (2)", "e-bikes (3)", "e-bikes (4)"]);
    assert.deepEqual(drop(4), []);
    assert.deepEqual(titles(), ["e-bikes", "e-bikes (2)", "e-bikes (3)"]);
  });

  it("become shorter again when no difference is left, and follow an execution to another crew", () => {
    put(0, { topic: "e-bikes", audience: "commuters" });
    put(1, { topic: "e-bikes", audience: "seniors" });
    assert.deepEqual(titles(), ["commuters", "seniors"]);
    put(1, { topic: "e-bikes", audience: "seniors" }, { crew: crewOf("other") });
    assert.deepEqual(titles(), ["e-bikes", "e-bikes"]);
    assert.ok(!known.list().some(sharesTitle));
  });

  it("are reported as changed when another execution is added, changed or removed", () => {
    put(0, { topic: "e-bikes", audience: "commuters" });
    assert.deepEqual(
      put(1, { topic: "e-bikes", audience: "commuters" }),
      [],
      "nobody has asked yet",
    );
    assert.deepEqual(titles(), ["e-bikes", "e-bikes (2)"]);
    assert.deepEqual(put(1, { topic: "e-bikes", audience: "commuters" }, { state: "running" }), []);
    assert.deepEqual(
      put(1, { topic: "e-bikes", audience: "commuters" }, { label: "Mine" }).sort(),
      ["e0", "e1"],
      "the first one's is no longer shared",
    );
    assert.deepEqual(put(2, { topic: "e-bikes", audience: "seniors" }).sort(), ["e0", "e2"]);
    assert.deepEqual(titles(), ["commuters", "Mine", "seniors"]);
    assert.deepEqual(drop(2), ["e0"]);
  });

  it("of ten thousand executions are made once, and not again when one is added, changed or removed", () => {
    let read = 0;
    const counted = (topic: string): JsonObject => ({
      get topic() {
        read += 1;
        return topic;
      },
    });
    for (let second = 0; second < 10_000; second += 1)
      put(second, counted(`topic ${second % 5000}`), second === 0 ? { label: "labelled" } : {});
    assert.deepEqual([titles()[1], titles()[5001]], ["topic 1", "topic 1 (2)"]);
    read = 0;
    put(10_000, counted("topic 7"));
    for (const execution of known.list())
      known.put(execution.localId, ++revision, { ...execution, state: "running" });
    for (let second = 0; second < 1000; second += 1) drop(second);
    assert.equal(titleOf(known.list()[0]!), "topic 7 (2)");
    assert.ok(read < 40_000, `looked ${read} times at an input`);
  });
});
