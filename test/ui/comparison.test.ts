import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type Execution, without } from "../../src/executions/model.ts";
import { onSides, savedPair } from "../../src/views/comparison/messages.ts";
import { themes } from "../support/built-page.ts";
import { comparedSamples, prices } from "../support/page/comparison-samples.ts";
import { ComparisonWindow } from "../support/page/comparison-window.ts";
import { waitFor } from "../support/wait.ts";
import { overflowOf, unknownColours, violationsIn } from "./accessibility.ts";

/** The samples, of which the right one is changed. */
function changed(change: (right: Execution) => Execution) {
  const { left, right } = comparedSamples();
  return { left, right: { ...right, execution: change(right.execution) } };
}

/** Its last task is under way since 20 seconds before `now`. */
const running = (now: number) =>
  changed((right) => ({
    ...without(right, "endedAt", "executionTime", "output"),
    state: "running",
    startedAt: new Date(now - 20_000).toISOString(),
    tasks: right.tasks.slice(0, 2),
  }));

describe("A comparison of two executions in a browser", () => {
  const window = new ComparisonWindow();
  const { sent } = window;

  async function open(options: Partial<Parameters<typeof window.open>[0]> = {}): Promise<Page> {
    const page = await window.open({ pair: comparedSamples(), prices, ...options });
    await page.locator(".timeline").nth(1).waitFor();
    return page;
  }

  it("has no accessibility problem that axe finds in any theme, and uses VS Code's colours", async () => {
    const page = await open();
    assert.deepEqual(await violationsIn(window), []);
    assert.deepEqual(unknownColours("comparison"), []);
    const colourIn = (row: string) =>
      page
        .locator(`${row} td`)
        .first()
        .evaluate((cell) => getComputedStyle(cell).color);
    const bar = page.getByRole("treeitem", { name: /^Crew/ }).first().locator(".bar");
    for (const theme of Object.keys(themes)) {
      await window.setTheme(theme);
      assert.notEqual(await colourIn("tbody tr:not(.different)"), await colourIn("tr.different"));
      assert.equal(
        await bar.evaluate((element) => getComputedStyle(element).borderTopWidth),
        theme.startsWith("High") ? "1px" : "0px",
      );
    }
  });

  it("has one axis and one zoom for both timelines", async () => {
    const page = await open({ size: { width: 1200, height: 1400 } });
    const bars = async (name: string) => {
      const places = await page
        .getByRole("treeitem", { name })
        .locator(".bar")
        .evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect()));
      return places.map(({ left, right }) => ({ left, right }));
    };
    const [left, right] = await bars("Task research");
    assert.ok(left !== undefined && right !== undefined);
    assert.equal(left.left, right.left, "each from its own start");
    const scale = (right.right - right.left) / (left.right - left.left);
    assert.ok(Math.abs(scale - 26.5 / 19) < 0.01, `${scale}`);
    assert.equal(await page.locator(".tick:visible").first().textContent(), "0 s");
    const costs = page.getByRole("treeitem", { name: "Task research" }).locator(".cost");
    assert.deepEqual(await costs.allInnerTexts(), ["$0.0023", "$0.01"]);
    const before = await bars("Task outline");
    await page.getByRole("tree").nth(1).focus();
    await page.keyboard.press("+");
    await waitFor("both zoomed", async () => {
      const [one, other] = await bars("Task outline");
      return one?.right !== before[0]?.right && other?.right !== before[1]?.right;
    });
    await page.keyboard.press("0");
    await waitFor("the whole", async () => (await bars("Task research"))[0]?.right === left.right);
  });

  it("opens an execution and outputs by the extension host", async () => {
    const page = await open();
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await button("tea in the office").click();
    await button("Open: outline").click();
    await button("Open: check").click();
    assert.deepEqual(sent, [
      { type: "ready" },
      { type: "open", side: "left" },
      { type: "openOutput", id: "outline\noutline" },
      { type: "openOutput", id: "\ncheck" },
    ]);
    // What VS Code gives back after a reload.
    const kept = await page.evaluate(() => sessionStorage.getItem("state") ?? "");
    const pair = onSides(comparedSamples(), ({ execution }) => execution.localId);
    assert.deepEqual(savedPair(JSON.parse(kept)), pair);
  });

  it("keeps what is read when it changes", async () => {
    // The extension host's clock is an hour ahead.
    const now = Date.now() + 3_600_000;
    const pair = running(now);
    const page = await open({ pair, now, size: { width: 1200, height: 500 } });
    const output = page.getByRole("rowheader", { name: "outline" });
    await output.evaluate((element) => element.scrollIntoView({ block: "center" }));
    const place = await output.boundingBox();
    await window.show({ pair: comparedSamples(), prices });
    await page.getByText("2 of 5 differ").waitFor();
    const after = await output.boundingBox();
    assert.ok(place !== null && after !== null);
    assert.ok(Math.abs(place.y - after.y) < 30, `${place.y} and ${after.y}`);
  });

  it("is used with the keyboard alone, and tells a screen reader of a new state", async () => {
    const now = Date.now();
    const page = await open({ pair: running(now), now });
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await waitFor("the answer to the key", () => sent.at(-1)?.type === "open");
    assert.deepEqual(sent.at(-1), { type: "open", side: "left" });
    const status = page.locator("header").getByRole("status");
    assert.equal(await status.textContent(), "tea in the office: Completed, tea at home: Running");
    await window.show({ pair: comparedSamples(), prices });
    await page.getByText("tea in the office: Completed, tea at home: Completed").waitFor();
    const table = page.getByRole("table", { name: "Figures" });
    assert.deepEqual(await table.getByRole("columnheader").allTextContents(), [
      "tea in the office",
      "tea at home",
      "Difference",
    ]);
    assert.equal(await table.getByRole("rowheader").first().textContent(), "Model");
  });

  it("fits a narrow editor: nothing is cut", async () => {
    const page = await open();
    const brokenWords = () =>
      page.locator(".comparison tbody th").evaluateAll((cells) =>
        cells.flatMap(({ firstChild }) =>
          [...(firstChild?.textContent ?? "").matchAll(/\S+/g)].flatMap(({ 0: word, index }) => {
            const range = document.createRange();
            range.setStart(firstChild!, index);
            range.setEnd(firstChild!, index + word.length);
            return range.getClientRects().length > 1 ? word : [];
          }),
        ),
      );
    const cutTables = () =>
      page
        .locator(":has(> .comparison)")
        .evaluateAll((all) => all.filter((box) => box.scrollWidth > box.clientWidth).length);
    for (const width of [700, 500, 370, 320]) {
      await page.setViewportSize({ width, height: 900 });
      assert.equal(await overflowOf(page), 0);
      assert.deepEqual(await brokenWords(), []);
      // Beside the side bar of a window of 760 pixels, the differences are in view, too.
      if (width >= 370) assert.equal(await cutTables(), 0, `at ${width} pixels`);
    }
  });

  it("runs and loads nothing that is in an input, a title or an agent", async () => {
    const attack =
      "<img src=x onerror=\"document.title='run'\"> ![p](https://tracker.example/p.png)";
    const requests: string[] = [];
    const page = await open();
    page.on("request", (request) => requests.push(request.url()));
    const pair = changed((right) => ({
      ...right,
      title: { text: attack, number: 1 },
      request: { inputs: { [attack]: attack, topic: attack }, callbacks: {} },
      tasks: right.tasks.map((task) => ({
        ...task,
        agent: attack,
      })),
    }));
    await window.show({ pair, prices });
    await page.getByRole("cell", { name: attack }).first().waitFor();
    assert.equal(await page.locator("main img, main script, main iframe").count(), 0);
    assert.equal(await page.title(), "comparison");
    assert.deepEqual(requests, []);
  });
});
