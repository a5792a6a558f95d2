import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import {
  crewaiEnv,
  createdProject,
  needsCrewai,
  newestCrewai,
  pythonWith,
} from "../support/crewai.ts";
import { startModelServer } from "../support/model-server.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { waitFor } from "../support/wait.ts";
import { waitForDocument } from "./story.ts";

describe("The first real run of an unchanged crewAI project, in the window", () => {
  needsCrewai();
  let window: VSCodeWindow | undefined;
  let model: Awaited<ReturnType<typeof startModelServer>> | undefined;

  before(async () => {
    model = await startModelServer(() => "Tea is picked in spring.");
    window = await openWindow({
      workspace: await createdProject("poem"),
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
    const { keyboard } = page;
    let clicks = 0;
    const click = async (what: Locator) => {
      await what.click();
      clicks += 1;
    };
    await click(page.locator('.activitybar .action-item:has([aria-label^="Crewdeck"])'));
    await click(
      page.locator(".part.sidebar").getByRole("button", { name: "Serve This Crew", exact: true }),
    );
    await waitFor(
      "the first field has focus",
      async () => (await webview.content.locator("textarea:focus").count()) === 1,
      120_000,
    );
    assert.match((await tree.rows())[0]?.description ?? "", /^crewAI$/);
    await keyboard.type("tea");
    await keyboard.press("Tab");
    const year = webview.content.getByRole("textbox", { name: "current_year" });
    await waitFor("the second field has focus", async () => {
      if (await year.evaluate((field) => field.ownerDocument.activeElement === field)) return true;
      await keyboard.press("Tab");
      return false;
    });
    await keyboard.type("2026");
    await click(webview.content.getByRole("button", { name: "Kick Off", exact: true }));
    await waitForDocument(window, /Tea is picked in spring\./);
    assert.equal(clicks, 3);
    assert.match(model.requests[0]?.prompt ?? "", /Conduct a thorough research about tea/);
  });
});
