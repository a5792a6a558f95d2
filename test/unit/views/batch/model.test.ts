import assert from "node:assert/strict";
import type { Execution } from "../../../../src/executions/model.ts";
import { batchCsv, batchView } from "../../../../src/views/batch/model.ts";
import { notWaiting } from "../executions.ts";

const prices = [{ pattern: "*", input: 1, output: 1 }];

/** An execution of a batch. */
function aCell(batchId: string, row: number, label: string, changes: Partial<Execution> = {}) {
  return notWaiting({
    ...{
      localId: `${batchId} ${row}`,
      batch: { id: batchId, name: `Batch ${batchId}`, row, label },
    },
    ...{ state: "completed", executionTime: 2, output: `About ${label}.`, tasks: [] },
    usage: { total: 1_500_000, prompt: 1_000_000, completion: 500_000 },
    ...changes,
  });
}

const viewOf = (batches: Parameters<typeof batchView>[0]["batches"]) =>
  batchView({
    ...{ batches, hasOthers: false, circumstancesOf: () => ({ prices }) },
    outputOf: ({ localId }) => `output of ${localId}`,
  });

describe("The table of a batch", () => {
  it("has each row in the file's order with state, time, tokens, cost and output, and those that were not sent yet", () => {
    const { columns, rows, crew } = viewOf([
      {
        id: "a",
        executions: [aCell("a", 2, "coffee", { state: "failed" }), aCell("a", 1, "tea")],
        left: {
          name: "Batch a",
          left: [{ row: 3, label: "tea", request: { inputs: {} } }],
          isSending: true,
        },
      },
    ]);
    assert.equal(crew, "Writers");
    assert.deepEqual(columns, [
      {
        ...{ id: "a", name: "Batch a", left: 1, isSending: true, problem: undefined },
        sum: "Failed: 1 · Completed: 1 · 3,000,000 tokens, $3.00 · 2 s on average",
      },
    ]);
    const plain = { grade: "", failures: [] };
    const cell = { tokens: "1,500,000", cost: "$1.50", elapsed: "2 s", ...plain };
    assert.deepEqual(rows, [
      {
        label: "tea",
        cells: [
          {
            ...cell,
            localId: "a 1",
            state: "completed",
            label: "Completed",
            output: "output of a 1",
          },
        ],
      },
      {
        label: "coffee",
        cells: [
          { ...cell, localId: "a 2", state: "failed", label: "Failed", output: "output of a 2" },
        ],
      },
      { label: "tea (2)", cells: [null] },
    ]);
  });

  it("says what a test says of an execution, and how many passed", () => {
    const test = (state: "passed" | "failed", grade: number, ...failures: string[]) => ({
      test: { state, grade, failures },
    });
    const executions = [
      aCell("a", 1, "tea", test("passed", 9)),
      aCell("a", 2, "milk", test("failed", 4, "It has no tea.")),
    ];
    const { columns, rows } = viewOf([{ id: "a", executions, left: undefined }]);
    assert.match(columns[0]?.sum ?? "", /1 of 2 tests passed · 6.5 of 10 on average/);
    assert.deepEqual(
      rows.map(({ cells: [cell] }) => [cell?.state, cell?.label, cell?.grade, cell?.failures]),
      [
        ["completed", "Passed", "9 of 10", []],
        ["failed", "Not passed", "4 of 10", ["It has no tea."]],
      ],
    );
    const [head, , last] = batchCsv(executions.toReversed(), []).split("\n");
    assert.match(head ?? "", /,test,grade,failures,output/);
    assert.match(last ?? "", /,failed,4,It has no tea\.,About milk\./);
  });

  it("has batches side by side, by the labels of their rows", () => {
    const executions = (id: string, ...labels: readonly string[]) =>
      labels.map((label, at) => aCell(id, at + 1, label));
    const { rows } = viewOf([
      { id: "a", executions: executions("a", "tea", "coffee"), left: undefined },
      { id: "b", executions: executions("b", "coffee", "cocoa"), left: undefined },
    ]);
    assert.deepEqual(
      rows.map(({ label, cells }) => [label, ...cells.map((cell) => cell?.localId)]),
      [
        ["tea", "a 1", undefined],
        ["coffee", "a 2", "b 1"],
        ["cocoa", undefined, "b 2"],
      ],
    );
  });

  it("is exported as CSV, with inputs and whole outputs", () => {
    const one = aCell("a", 1, "tea", {
      output: "Two\nlines, and more.",
      request: { inputs: { topic: "tea", count: 2 }, callbacks: {} },
    });
    assert.equal(
      batchCsv([one], prices),
      'batch,label,topic,count,state,seconds,tokens,cost,test,grade,failures,output\nBatch a,tea,tea,2,completed,2,1500000,1.5,,,,"Two\nlines, and more."\n',
    );
  });
});
