import assert from "node:assert/strict";
import { suggestFileName, withEnding } from "../../../../src/kickoff/request-files/name.ts";
import {
  readRequestFile,
  writeRequestFile,
} from "../../../../src/kickoff/request-files/request-file.ts";
import { authenticated } from "../support.ts";

describe("Writing a request file", () => {
  it("writes a text that is read as the same values", () => {
    const values = {
      inputs: { city: 'Oslo "north"', days: 3, ["__proto__"]: "x" },
      meta: { ticket: 7 },
      restoreFromStateId: "k0",
      crewWebhookUrl: "https://hooks.test/done",
      extra: { priority: 1, nested: { a: [] } },
    };
    const file = readRequestFile(writeRequestFile("Travel", values, "Demo"));
    const read = { crew: file.crew, label: file.label, values: file.values, faults: file.faults };
    assert.deepEqual(read, { crew: "Travel", label: "Demo", values, faults: [] });
  });

  it("leaves out anything else, such as a callback's secret, and keeps the callback", () => {
    const text = writeRequestFile("Travel", {
      inputs: {},
      ...authenticated({ password: "hush" }, { token: "hush" }),
    });
    assert.doesNotMatch(text, /hush/);
    assert.deepEqual(readRequestFile(text).faults, []);
    assert.deepEqual(readRequestFile(text).values, { inputs: {}, ...authenticated({}, {}) });
  });

  for (const [crew, inputs, name] of [
    ["Travel", { city: "Oslo", days: 3 }, "travel-oslo.kickoff.json"],
    [
      "Мой план!",
      { empty: "", none: null, stadt: "Zürich, am See" },
      "мой-план-zürich-am-see.kickoff.json",
    ],
    ["../..", {}, "request.kickoff.json"],
    ["T", { topic: "word ".repeat(40) }, "t-word-word-word-word-word-word.kickoff.json"],
    ["T", { n: { a: 1 } }, "t-a-1.kickoff.json"],
  ] as const)
    it(`suggests the name ${name}`, () => {
      assert.equal(suggestFileName(crew, inputs), name);
    });

  it("gives a file the ending that makes it a request file, once, and leaves the rest alone", () => {
    for (const [name, whole] of [
      ["a.kickoff.json", "a"],
      ["a", "a"],
      ["a.json", "a"],
      ["a.kickoff.json.kickoff.json", "a"],
      ["a.kickoff.json.json", "a"],
      ["a.Kickoff.JSON", "a"],
      ["a.b", "a.b"],
      ["a.kickoff.json/b", "a.kickoff.json/b"],
      ["a.jsonc", "a.jsonc"],
    ] as const)
      assert.equal(withEnding(`/work/${name}`), `/work/${whole}.kickoff.json`);
  });
});
