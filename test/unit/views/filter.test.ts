import assert from "node:assert/strict";
import { filterInWords, isSet, noFilter, passes } from "../../../src/views/tree/filter.ts";
import { anExecution, notWaiting } from "./executions.ts";

describe("the filter of executions", () => {
  const execution = anExecution({
    label: "Morning run",
    kickoffIds: ["first-id", "second-id"],
    request: { inputs: { topic: "Sea Otters", more: { depth: 40 } }, callbacks: {} },
  });
  const finds = (text: string) => passes({ text, states: [] })(execution);

  for (const [what, text] of [
    ["title", "morning"],
    ["crew", "WRITERS"],
    ["first id", "first-i"],
    ["an id that a resume brought", "second-id"],
    ["an input's value", "otters"],
    ["an input inside another", '"depth":40'],
  ] as const) {
    it(`finds by ${what}`, () => assert.ok(finds(text)));
  }

  it("wants every word, in any order, and does not find what is not there", () => {
    assert.ok(finds("  otters   morning "));
    assert.ok(!finds("otters evening"));
    assert.ok(!finds("topic"), "the names of inputs are the same for all");
  });

  it("wants one of the states, where what may be waiting waits", () => {
    const wanted = passes({ text: "", states: ["waiting", "failed"] });
    assert.ok(wanted(execution));
    assert.ok(wanted(notWaiting({ state: "failed" })));
    assert.ok(wanted(notWaiting({ state: "unknown", mayBeWaiting: true })));
    assert.ok(!wanted(notWaiting()));
    assert.ok(!passes({ text: "nothing", states: ["waiting"] })(execution), "both must fit");
  });

  it("says what it is, and whether it is set at all", () => {
    assert.equal(
      filterInWords({ text: " tea ", states: ["failed", "stopped"] }),
      "Failed, Stopped · “tea”",
    );
    assert.deepEqual(
      [isSet(noFilter), isSet({ text: " ", states: [] }), isSet({ text: "", states: ["failed"] })],
      [false, false, true],
    );
  });
});
