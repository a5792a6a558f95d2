import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readTestFile } from "../../../../src/service/testing/test-file.ts";
import { temporaryFolder } from "../../../support/folders.ts";

describe("A file with a test", () => {
  let project = "";
  beforeEach(() => {
    project = temporaryFolder("crew-tests");
    mkdirSync(path.join(project, "tests"));
    writeFileSync(path.join(project, "pyproject.toml"), '[tool.crewai]\ntype = "crew"\n');
  });
  const read = async (text: string) => {
    const file = path.join(project, "tests", "tea.kickoff.json");
    writeFileSync(file, text);
    return await readTestFile(file);
  };

  it("is its project's, and has its recording beside it", async () => {
    const [test, ...more] = await read(
      '{\n"inputs": {"a": 1},\n"expect": [\n{"contains": "x"}\n]}',
    );
    assert.deepEqual(more, []);
    assert.deepEqual(
      [test?.folder, test?.crewClass, test?.recording, test?.inputs, test?.places[0]?.line],
      [project, undefined, path.join(project, "tests/tea.recording.jsonl"), { a: 1 }, 4],
    );
    const [other] = await read('{"crew": "./..#Desk", "answers": {}}');
    assert.deepEqual([other?.folder, other?.crewClass], [project, "Desk"]);
  });

  it("expects what the project's eval.jsonc asserts, too", async () => {
    const file = path.join(project, "eval.jsonc");
    writeFileSync(
      file,
      `{ // Made by crewai eval.
  "criteria": ["It is friendly."],
  "assertions": [
    { "contains": "tea" }, { "type": "regex", "pattern": "a+" }, { "regex": "b" }, { "later": 1 }
  ] }`,
    );
    const [test] = await read('{"expect": [{"maxWords": 9}]}');
    rmSync(file);
    assert.deepEqual(test?.expect, [
      { maxWords: 9 },
      ...[{ contains: "tea" }, { matches: "a+" }, { matches: "b" }],
    ]);
    assert.deepEqual(test.places.slice(1), Array(3).fill({ file, line: 4 }));
  });

  it("has a run for each case, with its own inputs, expectations and recording", async () => {
    const rows = [
      { label: "mint", topic: "mint" },
      { topic: "oolong", "expect.contains": "leaf" },
    ];
    const body = { inputs: { topic: "tea", days: 1 }, expect: [{ maxWords: 9 }] };
    const inside = await read(JSON.stringify({ ...body, cases: rows }));
    const lines = rows.map((row) => JSON.stringify(row)).join("\n");
    writeFileSync(path.join(project, "tests", "rows.jsonl"), `${lines}\n\n`);
    const beside = await read(JSON.stringify({ ...body, cases: "rows.jsonl" }));
    for (const tests of [inside, beside]) {
      const found = tests.map(({ name, inputs, expect, recording }) => [
        ...[name, inputs, path.basename(recording)],
        expect,
      ]);
      assert.deepEqual(found, [
        ["mint", { topic: "mint", days: 1 }, "tea.1.recording.jsonl", [{ maxWords: 9 }]],
        [
          ...["case 2", { topic: "oolong", days: 1 }, "tea.2.recording.jsonl"],
          [{ maxWords: 9 }, { contains: "leaf" }],
        ],
      ]);
    }
  });

  it("has a run for each row of a CSV file", async () => {
    const rows = 'label,topic,expect.contains,expect.maxWords\nMint,mint,,5\n,oolong,"a\nleaf",\n';
    writeFileSync(path.join(project, "tests", "rows.csv"), rows);
    const found = await read('{"inputs": {"days": 1}, "cases": "rows.csv"}');
    const file = path.join(project, "tests", "rows.csv");
    const shown = found.map(({ name, at, inputs, expect, places }) => ({
      ...{ name, at, inputs, expect, places },
    }));
    const second = { file, line: 3 };
    assert.deepEqual(shown, [
      {
        ...{ name: "Mint", at: { file, line: 2 }, inputs: { topic: "mint", days: 1 } },
        ...{ expect: [{ maxWords: 5 }], places: [{ file, line: 2 }] },
      },
      {
        ...{ name: "case 2", at: second, inputs: { topic: "oolong", days: 1 } },
        ...{ expect: [{ contains: "a\nleaf" }], places: [second] },
      },
    ]);
    writeFileSync(file, "topic\ntea, black\n");
    await assert.rejects(read('{"cases": "rows.csv"}'), /Line 2 of rows\.csv has more fields/);
    writeFileSync(file, "expect.contain\nx\n");
    await assert.rejects(read('{"cases": "rows.csv"}'), /rows\.csv:2: expect .*\(contain\)/);
  });

  it("is no test without expectations, answers or cases", async () => {
    assert.deepEqual(await read('{"crew": "Travel", "inputs": {}}'), []);
  });

  const wrong: readonly (readonly [text: string, problem: RegExp])[] = [
    ['{"expect": [', /This is not JSON/],
    ['{"expect": [\n{"contain": "x"}]}', /:2:\d+: expect\[0\]\.contain has no meaning/],
    ['{"expect": [{"matches": "("}]}', /expect\[0\]\.matches is not valid.*regular expression/],
    [String.raw`{"expect": [{"matches": "\\-"}]}`, /expect\[0\]\.matches is not valid/],
    ['{"answers": {"a": [{}]}}', /answers\.a\[0\]/],
    ['{"crew": "Travel", "expect": [{}]}', /so "crew" is its folder/],
    ['{"cases": "none.jsonl"}', /There is no file .*none\.jsonl/],
  ];
  for (const [text, problem] of wrong)
    it(`says what is wrong: ${text.replaceAll("\n", " ")}`, async () => {
      await assert.rejects(read(text), problem);
    });
});
