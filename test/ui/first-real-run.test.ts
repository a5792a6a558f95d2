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
import { openWindow } from "../support/window.ts";
import { waitFor } from "../support/wait.ts";
import { waitForDocument } from "./story.ts";

describe("The first real run of an unchanged crewAI project, in the window", () => {
  needsCrewai();
  const output = "Tea is picked in spring.";
  const ends: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  /** Opens the folder of a project that was just created, with a model for its crews. */
  async function openProject(kind: "classic" | "declarative") {
    const model = await startModelServer(() => output);
    ends.unshift(() => model.stop());
    const window = await openWindow({
      workspace: await createdProject("poem", kind),
      settings: { "crewdeck.python": await pythonWith(newestCrewai) },
      env: crewaiEnv(model),
    });
    ends.unshift(() => window.close());
    let clicks = 0;
    const click = async (what: Locator) => {
      await what.click();
      clicks += 1;
    };
    const serve = async () => {
      await click(window.page.locator('.activitybar .action-item:has([aria-label^="Crewdeck"])'));
      await click(
        window.page
          .locator(".part.sidebar")
          .getByRole("button", { name: "Serve This Crew", exact: true }),
      );
    };
    const kickOff = async () =>
      click(window.webview.content.getByRole("button", { name: "Kick Off", exact: true }));
    return { window, model, serve, kickOff, clicks: () => clicks };
  }

  it("takes three clicks from the opened folder to the first output", async () => {
    const { window, model, serve, kickOff, clicks } = await openProject("classic");
    const { page, tree, webview } = window;
    const { keyboard } = page;
    await serve();
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
    await kickOff();
    await waitForDocument(window, /Tea is picked in spring\./);
    assert.equal(clicks(), 3);
    assert.match(model.requests[0]?.prompt ?? "", /Conduct a thorough research about tea/);
  });

  it("takes three clicks if the project is declarative", async () => {
    const { window, model, serve, kickOff, clicks } = await openProject("declarative");
    await serve();
    await kickOff();
    await waitForDocument(window, /Tea is picked in spring\./);
    assert.equal(clicks(), 3);
    assert.ok(model.requests.some(({ prompt }) => /Research current AI trends/.test(prompt)));
  });
});
