import assert from "node:assert/strict";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { waitFor } from "../support/wait.ts";
import { startExampleCrew, tellStory, tellStoryByKeyboard } from "./story.ts";
import { doneSteps, openWalkthrough, takeTheTour } from "./walkthrough.ts";

describe("A first run, in the window", () => {
  let window: VSCodeWindow;

  beforeEach(async () => {
    window = await openWindow({ settings: { "workbench.colorTheme": "Default Dark Modern" } });
  });

  afterEach(() => window.close());

  it("goes from an empty window to an approved run with the mouse", async () => {
    await takeTheTour(window);
    assert.deepEqual(await doneSteps(window), [false, false, false, false]);
    await startExampleCrew(window);
    await tellStory(window);
    await openWalkthrough(window);
    await untilDone(window);
  });

  it("goes from an empty window to an approved run with the keyboard alone", async () => {
    await tellStoryByKeyboard(window);
    // Also those steps that were done before it was opened.
    await window.runCommand("Crewdeck: Take the Tour");
    await untilDone(window);
  });
});

async function untilDone(window: VSCodeWindow): Promise<void> {
  await waitFor(
    "four steps done",
    async () => (await doneSteps(window)).join() === "true,true,true,true",
  );
}
