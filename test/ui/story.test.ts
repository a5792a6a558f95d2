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

  afterEach(async () => {
    await window.close();
  });

  it("goes from an empty window to an approved run with the mouse", async () => {
    await takeTheTour(window);
    assert.deepEqual(await doneSteps(window), [false, false, false, false]);
    await startExampleCrew(window);
    await tellStory(window);
    await openWalkthrough(window);
    await waitFor(
      "four steps done",
      async () => (await doneSteps(window)).join() === "true,true,true,true",
    );
  });

  it("completes the walkthrough's steps that were done before it was first opened", async () => {
    await startExampleCrew(window);
    await window.runCommand("Crewdeck: Take the Tour");
    await waitFor(
      "one step done",
      async () => (await doneSteps(window)).join() === "true,false,false,false",
    );
  });

  it("goes from an empty window to an approved run with the keyboard alone", async () => {
    await tellStoryByKeyboard(window);
  });
});
