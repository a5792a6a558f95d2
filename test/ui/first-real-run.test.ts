import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import type { Locator } from "playwright-core";
import { newestCrewai, pythonWith } from "../support/crewai.ts";
import { temporaryFolder } from "../support/folders.ts";
import { startModelServer } from "../support/model-server.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { waitFor } from "../support/wait.ts";
import { waitForDocument } from "./story.ts";

/** What `crewai create` does, in a folder. */
const create = `
import sys
from crewai_cli.cli import crewai
sys.argv = ["crewai", "create", "crew", "poem", "--classic", "--skip-provider"]
crewai()
`;

describe("The first real run of an unchanged crewAI project, in the window", () => {
  let window: VSCodeWindow;
  let model: Awaited<ReturnType<typeof startModelServer>>;

  before(async function () {
    const python = await pythonWith(newestCrewai);
    const folder = temporaryFolder("created");
    await promisify(execFile)(python, ["-c", create], { cwd: folder });
    model = await startModelServer(() => "Tea is picked in spring.");
    window = await openWindow({
      workspace: path.join(folder, "poem"),
      settings: { "crewdeck.python": python },
      env: {
        OPENAI_BASE_URL: model.url,
        OPENAI_API_BASE: model.url,
        OPENAI_API_KEY: "key",
        MODEL: "gpt-4o-mini",
      },
    });
  });

  after(async () => {
    await window.close();
    await model.stop();
  });

  it("takes three clicks from the opened folder to the first output", async () => {
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
