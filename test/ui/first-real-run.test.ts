import assert from "node:assert/strict";
import {
  crewaiEnv,
  createdProject,
  needsCrewai,
  newestCrewai,
  pythonWith,
} from "../support/crewai.ts";
import { startModelServer } from "../support/model-server.ts";
import { Webview } from "../support/window/webview.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { waitForPage } from "./story.ts";

describe("The first real run of an unchanged crewAI project, in the window", () => {
  needsCrewai();

  // Undefined where the suite is skipped.
  let model: Awaited<ReturnType<typeof startModelServer>> | undefined;
  let window: VSCodeWindow | undefined;

  before(async () => {
    model = await startModelServer(() => "Tea is picked in spring.");
    window = await openWindow({
      workspace: await createdProject("poem", "declarative"),
      settings: { "crewdeck.python": await pythonWith(newestCrewai) },
      env: crewaiEnv(model),
    });
  });

  after(async () => {
    await window?.close();
    await model?.stop();
  });

  it("takes three clicks from the opened folder to the first output", async () => {
    assert.ok(window && model);
    const { page, tree, webview } = window;
    await page.locator('.activitybar .action-item:has([aria-label^="Crewdeck"])').click();
    const sidebar = page.locator(".part.sidebar");
    await sidebar.getByRole("button", { name: "Serve This Crew", exact: true }).click();
    await webview.content.getByRole("button", { name: "Kick Off", exact: true }).click();
    await waitForPage(window, /Tea is picked in spring\./);
    assert.match((await tree.rows())[0]?.description ?? "", /^crewAI$/);
    assert.ok(model.requests.some(({ prompt }) => /Research current AI trends/.test(prompt)));
  });

  it("shows what was said in the call of a model that is clicked in the timeline", async () => {
    assert.ok(window);
    await window.runCommand("View: Toggle Crew Timeline");
    const timeline = new Webview(window.page, "view").content;
    const call = timeline.getByRole("treeitem", { name: /^Model call .* tokens/ }).first();
    await call.click();
    const steps = window.webview.content.locator(".steps");
    await steps.getByText(/Research current AI trends/).waitFor();
    await steps.locator(".answered").getByText("Tea is picked in spring.").waitFor();
    assert.equal(await steps.getByText("ended with “stop”").count(), 1);
    await call.focus();
    await window.screenshot("call");
  });

  it("makes a test of it that passes without the model, with two clicks", async () => {
    assert.ok(window && model);
    const { page, webview } = window;
    await waitForPage(window, /Completed/);
    const asked = model.requests.length;
    await webview.content.getByRole("button", { name: "Save as Test" }).click();
    await page.locator(".tab.active").getByText(".kickoff.json").waitFor();
    await page.locator(".glyph-margin-widgets .testing-run-glyph").click();
    await page.locator(".glyph-margin-widgets .codicon-testing-passed-icon").waitFor();
    await window.screenshot("saved-as-test");
    assert.equal(model.requests.length, asked);
  });
});
