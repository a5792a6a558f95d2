import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { startExampleCrew, tellStory, tellStoryByKeyboard } from "./story.ts";

describe("The story, in the window", () => {
  let window: VSCodeWindow;

  beforeEach(async () => {
    window = await openWindow({ settings: { "workbench.colorTheme": "Default Dark Modern" } });
  });

  afterEach(async () => {
    await window.close();
  });

  it("from an empty window to an approved run, by mouse", async () => {
    await startExampleCrew(window);
    await tellStory(window);
  });

  it("from an empty window to an approved run, with the keyboard alone", async () => {
    await tellStoryByKeyboard(window);
  });
});
