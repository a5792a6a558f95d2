import assert from "node:assert/strict";
import { csvOf, rowsOfCsv } from "../../../src/base/csv.ts";
import { readRows } from "../../../src/kickoff/rows.ts";

const fields = [
  { name: "topic", required: true },
  { name: "count", type: "integer" as const, required: false },
];

describe("The rows of a batch", () => {
  it("are those of a CSV file, whose first line names the inputs; other types than text are read as JSON", () => {
    const text = '\uFEFFtopic,count,label\r\n"tea, or ""chai""\nwith milk",3,first\n\ncoffee,1,\n';
    assert.deepEqual(readRows("a.csv", text, fields), [
      { label: "first", request: { inputs: { topic: 'tea, or "chai"\nwith milk', count: 3 } } },
      { label: "", request: { inputs: { topic: "coffee", count: 1 } } },
    ]);
  });

  it("are those of an array or of lines of JSON objects, and are named by their first input", () => {
    const expected = [
      { label: "tea", request: { inputs: { topic: "tea" } } },
      { label: "coffee", request: { inputs: { topic: "coffee", count: 2 } } },
    ];
    const lines = expected.map(({ request: { inputs } }) => JSON.stringify(inputs));
    assert.deepEqual(readRows("a.jsonl", lines.join("\n"), fields), expected);
    assert.deepEqual(readRows("a.json", `[${lines.join()}]`, fields), expected);
  });

  it("keep a label that is an input", () => {
    const [row] = readRows("a.csv", "label\nx", [{ name: "label" }]);
    assert.deepEqual(row, { label: "x", request: { inputs: { label: "x" } } });
  });

  it("are refused with the first row that the crew would refuse, and if there is none or too many", () => {
    const refused = (text: string, reason: RegExp, name = "a.csv") =>
      assert.throws(() => readRows(name, text, fields), reason);
    refused(
      "count\n1",
      /^UserError: a\.csv, row 1: The input “topic” is missing.* Nothing was sent/,
    );
    refused("topic,count\na,1\nb,many", /row 2: The crew accepts only this for “count”: integer/);
    refused('{"topic": "a"}\n[]', /row 2: It is not a JSON object/, "a.jsonl");
    refused("topic,count\na, b,1", /row 1: It has more fields than the first row/);
    refused("topic", /has no rows/);
    refused(`topic\n${"a\n".repeat(1001)}`, /more than 1000 rows/);
  });

  it("are read as they were written", () => {
    const rows = [
      ["a", "b", "c"],
      ["1", '2 "3"', "4,5"],
      ["", "6\r\n7", "8"],
    ];
    assert.deepEqual(
      rowsOfCsv(csvOf(rows)).map(({ values }) => Object.values(values ?? {})),
      rows.slice(1),
    );
  });
});
