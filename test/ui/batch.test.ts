import assert from "node:assert/strict";
import { fromBatch, type FromBatch, type ToBatch } from "../../src/views/batch/messages.ts";
import { batchView } from "../../src/views/batch/model.ts";
import { PartWindow } from "../support/part-window.ts";
import { notWaiting } from "../unit/views/executions.ts";
import { violationsIn, overflowOf } from "./accessibility.ts";

class BatchWindow extends PartWindow<FromBatch, ToBatch> {
  constructor() {
    super("batch", fromBatch);
  }

  /** @param count of executions in each of two batches */
  async open(count: number, size = { width: 1200, height: 800 }) {
    await this.begin([show(count)], { size });
    await this.page.locator("table").waitFor();
    return this.page;
  }

  async update(count: number): Promise<void> {
    await this.showAll([show(count)]);
  }
}

function show(count: number): ToBatch {
  const batches = ["Teas of May", "Teas of June"].map((name, batch) => ({
    id: name,
    executions: Array.from({ length: count }, (_, at) =>
      notWaiting({
        localId: `${name} ${at}`,
        batch: { id: name, name, row: at + 1, label: `Row ${at + 1} about a tea of the mountains` },
        state: at % 7 === 3 ? "failed" : "completed",
        executionTime: 12 + at,
        usage: { total: 1200 + at * 7, prompt: 1000, completion: 200 + at * 7 },
        tasks: [],
      }),
    ),
    left: {
      ...{
        name,
        isSending: batch === 1,
        left: [{ row: count + 1, label: "Last row", request: { inputs: {} } }],
      },
      ...(batch === 0 && { problem: "The crew refused the token (401). Set another one." }),
    },
  }));
  const view = batchView({
    ...{
      batches,
      hasOthers: true,
      circumstancesOf: () => ({ prices: [{ pattern: "*", input: 3, output: 15 }] }),
    },
    outputOf: () =>
      "Assam is a black tea from the region of the same name, known for its body and its malty taste. ".repeat(
        3,
      ),
  });
  return { type: "show", view, ids: batches.map(({ id }) => id), now: Date.now() };
}

describe("The table of a batch in a browser", () => {
  const window = new BatchWindow();

  it("has no accessibility problem that axe finds in any theme, and fits into a narrow window", async () => {
    const page = await window.open(12);
    assert.deepEqual(await violationsIn(window), []);
    await page.setViewportSize({ width: 480, height: 800 });
    assert.equal(await overflowOf(page), 0);
  });

  it("opens an execution, and stops and continues a batch", async () => {
    const page = await window.open(2);
    await page
      .getByRole("button", { name: "Completed: Row 2 about a tea of the mountains" })
      .last()
      .click();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    assert.deepEqual(
      window.sent.filter(({ type }) => type !== "ready"),
      [
        { type: "open", localId: "Teas of June 1" },
        { type: "stop", id: "Teas of June" },
        { type: "goOn", id: "Teas of May" },
      ],
    );
  });

  it("shows 200 rows of two batches, and their changes, without losing its place", async () => {
    const page = await window.open(200);
    await page.evaluate(() => document.scrollingElement?.scrollTo({ top: 3000 }));
    const begun = performance.now();
    await window.update(200);
    await page.getByText("Row 200 about").waitFor();
    console.log(`      updated in ${Math.round(performance.now() - begun)} ms`);
    assert.equal(await page.evaluate(() => document.scrollingElement?.scrollTop), 3000);
  });
});
