import assert from "node:assert/strict";
import { startService, type RunningService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import type { VSCodeWindow } from "../support/window.ts";
import { connectCrew, openForm } from "./person.ts";
import { untilSaved } from "./saved.ts";
import { sharedWindow } from "./shared-window.ts";

const topics = ["tea", "coffee"] as const;
describe("Two executions side by side, in the window", () => {
  const shared = sharedWindow();
  let window: VSCodeWindow;
  let writers: RunningService;

  before(async () => {
    writers = await startService({ args: ["--task-seconds", "0.3"] });
    window = shared();
    const { url, token } = writers;
    await connectCrew(window, { url, token, name: "Writers" });
    for (const topic of topics) {
      await openForm(window, "Writers");
      const field = (name: string) => window.webview.content.getByRole("textbox", { name });
      await field("topic").fill(topic);
      await field("audience").fill("colleagues");
      await window.webview.content.getByRole("button", { name: "Kick Off", exact: true }).click();
      await window.tree.row(topic).waitFor();
      await waitFor(`${topic} to wait`, async () =>
        (await window.tree.executions()).some(
          ({ label, spoken }) => label === topic && spoken.includes("Waiting for you"),
        ),
      );
      await window.runCommand("View: Close All Editors");
    }
  });

  after(() => writers.stop());

  const page = () => window.webview.content;
  const states = () => page().locator("header .state strong").allInnerTexts();
  const cells = async (row: string) =>
    page().getByRole("row", { name: row }).first().getByRole("cell").allInnerTexts();

  it("compares two selected ones: what they used, their inputs and outputs, and both timelines on one axis", async () => {
    const { tree } = window;
    await tree.click(topics[0]);
    await tree.row(topics[1]).click({ modifiers: ["ControlOrMeta"] });
    await tree.menu(topics[1], "Compare Executions…");
    await window.editor.tab("tea ↔ coffee").waitFor();
    await page().getByRole("heading", { name: "What Differs" }).waitFor();
    assert.deepEqual(await states(), ["Waiting for you", "Waiting for you"]);
    assert.deepEqual(await cells("topic"), ["tea", "coffee", "different"]);
    assert.deepEqual(await cells("audience"), ["colleagues", "colleagues", "same"]);
    await page().getByText("2 of 2 differ").waitFor();
    const ticks = page().locator(".timeline .tick:visible");
    await ticks.first().waitFor();
    const trees = page().getByRole("tree");
    assert.deepEqual(
      await trees.evaluateAll((all) => all.map((tree) => tree.getAttribute("aria-label"))),
      ["Timeline of tea", "Timeline of coffee"],
    );
  });

  it("is updated in place while they run, without moving what is read", async () => {
    const outline = page().getByRole("rowheader", { name: "outline" });
    // At the top of the page, nothing is scrolled that could stay in its place.
    await outline.evaluate((row) => row.scrollIntoView());
    const before = await outline.boundingBox();
    // Both rows are still selected.
    await window.tree.action(topics[0], "Approve");
    await window.messages.confirm("Approve what waits? Outputs: 2", "Approve");
    await waitFor("the end", async () => String(await states()) === "Completed,Completed");
    await page().getByText("4 of 4 differ").waitFor();
    const after = await outline.boundingBox();
    assert.ok(before !== null && after !== null);
    assert.ok(Math.abs(before.y - after.y) < 30, `${before.y} and ${after.y}`);
  });

  it("opens an output's diff in VS Code's own editor, and returns after a reload of the window", async () => {
    await page().getByRole("button", { name: "Open Diff: outline" }).click();
    await window.editor.tab("outline: tea ↔ coffee").waitFor();
    await window.runCommand("View: Close Editor");
    await page().getByRole("button", { name: "Swap" }).click();
    await window.editor.tab("coffee ↔ tea").waitFor();
    await untilSaved(window, "coffee ↔ tea");
    await window.reload();
    await window.editor.tab("coffee ↔ tea").waitFor();
    await waitFor("the table", async () => (await cells("topic"))[0] === "coffee");
  });
});
