import assert from "node:assert/strict";
import { filterLabel, isSet, noFilter, passes } from "../../../src/views/tree/arrangement.ts";
import { anExecution, notWaiting } from "./executions.ts";

describe("the filter of executions", () => {
  const execution = anExecution({
    label: "Morning run",
    kickoffIds: ["first-id", "second-id"],
    request: { inputs: { topic: "Sea otters", file: 'C:\\new "maps"' }, callbacks: {} },
  });
  const finds = (text: string) => passes({ text, states: [] })(execution);

  for (const [what, text] of [
    ["title", "morning"],
    ["crew", "WRITERS"],
    ["first id", "first-i"],
    ["an id that a resume brought", "second-id"],
    ["an input's value", "OTTERS"],
    ["an input's value as it was given", 'C:\\new "maps"'],
  ] as const) {
    it(`finds by ${what}`, () => assert.ok(finds(text)));
  }

  it("requires every word, in any order", () => {
    assert.ok(finds("  otters   morning "));
    assert.ok(!finds("otters evening"));
  });

  it("requires one of the states, and counts “may be waiting” as waiting", () => {
    const wanted = passes({ text: "", states: ["waiting", "failed"] });
    assert.ok(wanted(execution));
    assert.ok(wanted(notWaiting({ state: "failed" })));
    assert.ok(wanted(notWaiting({ state: "unknown", mayBeWaiting: true })));
    assert.ok(!wanted(notWaiting()));
    assert.ok(!passes({ text: "nothing", states: ["waiting"] })(execution), "both must match");
  });

  it("has a label, and says whether it is set", () => {
    const label = filterLabel({ text: " tea ", states: ["failed", "stopped"] });
    assert.equal(label, "Failed, Stopped · “tea”");
    assert.deepEqual(
      [isSet(noFilter), isSet({ text: " ", states: [] }), isSet({ text: "", states: ["failed"] })],
      [false, false, true],
    );
  });
});
