import assert from "node:assert/strict";
import { crewaiEnv, needsCrewai, newestCrewai } from "../support/crewai.ts";
import { startModel } from "../support/crewai-service.ts";
import { atEndOfTest } from "../support/ends.ts";
import { waitFor } from "../support/wait.ts";
import { warmPython } from "../support/warm-python.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { answerOnPage } from "../ui/person.ts";
import { kickOffStory, startExampleCrew, story, waitForPage } from "../ui/story.ts";

describe("The example crew, where crewAI is", () => {
  needsCrewai();
  let settings: Readonly<Record<string, unknown>>;
  const open = async (env: NodeJS.ProcessEnv = {}) => {
    const window = await openWindow({ settings, env });
    atEndOfTest(() => window.close());
    return window;
  };

  before(async () => {
    settings = {
      "crewdeck.python": await warmPython(),
      "workbench.hover.delay": 300,
    };
  });

  const untilRow = ({ tree }: VSCodeWindow, description: string) =>
    waitFor(`a row with “${description}”`, async () =>
      (await tree.rows()).some(
        (row) => row.label === "example_crew" && row.description === description,
      ),
    );

  it("runs for real, on the model of the environment, until its result", async () => {
    const model = await startModel(({ prompt }) =>
      prompt.includes("Write the briefing")
        ? "Tea is served at four."
        : prompt.includes("Turn the findings")
          ? "1. When is tea?"
          : "Tea is at four (kitchen sign).",
    );
    const window = await open(crewaiEnv(model));
    await startExampleCrew(window);
    await untilRow(window, "crewAI");
    await window.tree.tooltip("example_crew", `crewAI ${newestCrewai}`);
    await kickOffStory(window);
    await waitForPage(window, /When is tea\?/);
    await answerOnPage(window, "Approve");
    await waitForPage(window, /3 of 3[^]*Tea is served at four\./m);
    const [research, outline, briefing] = model.requests.map(({ prompt }) => prompt);
    assert.ok(research?.includes(`Researcher on ${story.topic}`), research);
    assert.ok(outline?.includes("Tea is at four (kitchen sign)."), outline);
    assert.ok(briefing?.includes("1. When is tea?"), briefing);
  });

  it("is rehearsed without a model, says what is missing, and runs for real when a person chooses that", async () => {
    const window = await open();
    await startExampleCrew(window);
    await untilRow(window, "rehearsal, no model");
    await window.tree.tooltip("example_crew", `crewAI ${newestCrewai} is here, but no model`);
    await window.tree.menu("example_crew", "Use crewAI or Rehearsal…");
    await window.quickInput.choose("What is to run “example_crew”?", "crewAI");
    await untilRow(window, "crewAI");
  });
});
