import assert from "node:assert/strict";
import { CrewApi } from "../support/crew-api.ts";
import { startService, type RunningService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { connectCrew, openForm } from "./person.ts";
import { isSaved } from "./saved.ts";

const topics = ["tea", "coffee"] as const;
describe("Two executions side by side, in the window", () => {
  let window: VSCodeWindow;
  let writers: RunningService;
  let editors: RunningService;

  before(async () => {
    writers = await startService({ args: ["--task-seconds", "0.3"] });
    editors = await startService({ args: ["--task-seconds", "0.1"] });
    window = await openWindow({
      settings: { "workbench.colorTheme": "Default Dark Modern" },
      size: { width: 1400, height: 900 },
    });
    for (const [name, { url, token }] of [
      ["Writers", writers],
      ["Editors", editors],
    ] as const)
      await connectCrew(window, { url, token, name });
    for (const topic of topics) {
      await openForm(window, "Writers");
      const field = (name: string) => window.webview.content.getByRole("textbox", { name });
      await field("topic").fill(topic);
      await field("audience").fill("colleagues");
      await window.webview.content.getByRole("button", { name: "Kick Off", exact: true }).click();
      await window.tree.row(topic).waitFor();
      await waitFor(`${topic} to wait`, async () =>
        (await window.tree.executions()).some(
          ({ label, description }) => label === topic && description.startsWith("Waiting"),
        ),
      );
      await window.runCommand("View: Close All Editors");
    }
  });

  after(async () => {
    await window.close();
    await writers.stop();
    await editors.stop();
  });

  const page = () => window.webview.content;
  const cells = async (row: string) =>
    page().getByRole("row", { name: row }).first().getByRole("cell").allInnerTexts();

  it("compares two selected ones: what they used, their inputs and outputs, and both timelines on one axis", async () => {
    const { tree } = window;
    await tree.click(topics[0]);
    await tree.row(topics[1]).click({ modifiers: ["ControlOrMeta"] });
    await tree.menu(topics[1], "Compare Selected");
    await window.editor.tab("tea ↔ coffee").waitFor();
    await page().getByRole("heading", { name: "What Differs" }).waitFor();
    assert.deepEqual(await cells("State"), ["Waiting for you", "Waiting for you", "same"]);
    assert.deepEqual(await cells("topic"), ["tea", "coffee", "different"]);
    await page().getByText("Inputs that are the same (1)").waitFor();
    await page().getByText("2 of 2 differ").waitFor();
    await page().locator(".changed del").first().waitFor();
    const ticks = page().locator(".small-timeline .tick:visible");
    await ticks.first().waitFor();
    const trees = page().getByRole("tree");
    assert.deepEqual(
      await trees.evaluateAll((all) => all.map((tree) => tree.getAttribute("aria-label"))),
      ["Timeline of tea", "Timeline of coffee"],
    );
    await window.screenshot("comparison-waiting");
  });

  it("is updated in place while they run, without moving what is read", async () => {
    const outline = page().locator("summary", { hasText: "outline" });
    await outline.scrollIntoViewIfNeeded();
    const before = await outline.boundingBox();
    // Both rows are still selected.
    await window.tree.action(topics[0], "Approve");
    await window.messages.confirm("Approve 2 outputs?", "Approve");
    await waitFor(
      "the end",
      async () => String(await cells("State")) === "Completed,Completed,same",
    );
    await page().getByText("3 of 3 differ").waitFor();
    const after = await outline.boundingBox();
    assert.ok(before !== null && after !== null);
    assert.ok(Math.abs(before.y - after.y) < 30, `${before.y} and ${after.y}`);
  });

  it("opens an output's diff in VS Code's own editor, and returns after a reload of the window", async () => {
    await page().getByRole("button", { name: "Open Diff of outline" }).click();
    await window.editor.tab("outline: tea ↔ coffee").waitFor();
    await window.runCommand("View: Close Editor");
    await page().getByRole("button", { name: "Swap" }).click();
    await window.editor.tab("coffee ↔ tea").waitFor();
    await waitFor("VS Code to have saved its editors", () => isSaved(window, "coffee ↔ tea"));
    await window.reload();
    await window.editor.tab("coffee ↔ tea").waitFor();
    await waitFor("the table", async () => (await cells("topic"))[0] === "coffee");
  });

  it("compares executions of different crews, of which it asks for the other", async () => {
    const { tree, quickInput } = window;
    await window.setTheme("Default Dark Modern");
    const id = await new CrewApi(editors).kickoff({
      inputs: { topic: "tea", audience: "guests" },
    });
    await tree.menu("Editors", "Track an Execution by Its ID…");
    await quickInput.answer("Track an execution of “Editors”", id);
    const own = id.slice(0, 8);
    // The change of the tree when it begins to wait would close the menu.
    await tree.row("Waiting for you").waitFor();
    await tree.menu(own, "Compare With…");
    await quickInput.waitFor("with which execution?");
    const labels = (await quickInput.labels()).filter((label) => !label.includes(":"));
    assert.deepEqual(labels, ["coffee", "tea"]);
    await quickInput.choose("with which execution?", "tea");
    await window.editor.tab(`tea ↔ ${own}`).waitFor();
    await page().getByText(`The inputs of “${own}” are not known`).waitFor();
    assert.deepEqual(await cells("Crew"), ["Writers", "Editors", "different"]);
    await window.page.setViewportSize({ width: 1000, height: 1400 });
    await window.screenshot("comparison-crews");
    const choose = `Choose another execution instead of ${own}`;
    await page().getByRole("button", { name: choose }).click();
    await quickInput.choose("Compare “tea” with which execution?", "coffee");
    await window.editor.tab("tea ↔ coffee").waitFor();
    await waitFor("both inputs", async () => (await cells("topic"))[1] === "coffee");
  });
});
