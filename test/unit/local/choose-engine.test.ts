import assert from "node:assert/strict";
import { chooseEngine, type EngineQuestion } from "../../../src/local/choose-engine.ts";
import type { Interpreter } from "../../../src/projects/interpreters.ts";

const python = "/project/.venv/bin/python";

/** A trusted project in the workspace, with crewAI. */
function question(more: Partial<EngineQuestion> = {}): EngineQuestion {
  const interpreter: Interpreter = { python, crewai: "1.15.30" };
  return {
    wish: undefined,
    isTrusted: true,
    isInWorkspace: true,
    isExample: false,
    isUnfit: false,
    hasModel: () => Promise.reject(new Error("A project names its model.")),
    findInterpreter: () => Promise.resolve(interpreter),
    advice: () => Promise.resolve([]),
    ...more,
  };
}

const obstacles: readonly [string, Partial<EngineQuestion>, RegExp][] = [
  ["the workspace isn't trusted", { isTrusted: false }, /Restricted Mode/],
  ["there is no Python", { findInterpreter: () => Promise.resolve(undefined) }, /No Python/],
  [
    "crewAI isn't installed",
    { findInterpreter: () => Promise.resolve({ python, crewai: undefined }) },
    /crewAI is not installed for \/project/,
  ],
  [
    "the setting names no Python",
    {
      findInterpreter: () => Promise.resolve(undefined),
      advice: () => Promise.resolve(["The setting is wrong.", "“Set Up…” runs “uv sync”."]),
    },
    /^No Python was found for the project\. The setting is wrong\. “Set Up…” runs “uv sync”\.$/,
  ],
];

/** Checks what is chosen, and what is said of it. */
async function chooses(
  engine: "crewai" | "rehearsal" | undefined,
  note: RegExp,
  more: Partial<EngineQuestion>,
): Promise<void> {
  const plan = await chooseEngine(question(more));
  assert.equal(plan.engine, engine);
  assert.match(plan.note ?? "", note);
}

describe("choosing a local crew's engine", () => {
  it("takes crewAI where it can run, and says where that is", async () => {
    const plan = await chooseEngine(question());
    assert.deepEqual(plan, { engine: "crewai", python, note: `crewAI 1.15.30, ${python}` });
  });

  for (const [because, more, why] of obstacles)
    it(`rehearses because ${because}, and says so; a wish for crewAI is refused`, async () => {
      await chooses("rehearsal", why, more);
      await chooses(undefined, why, { ...more, wish: "crewai" });
    });

  it("never rehearses what is unfit: it runs with crewAI, or says why it can't", async () => {
    const isUnfit = true;
    await chooses("crewai", /^crewAI/, { isUnfit });
    for (const [, more, why] of obstacles) await chooses(undefined, why, { ...more, isUnfit });
    await chooses(undefined, /^It can't be rehearsed/, { isUnfit, wish: "rehearsal" });
  });

  it("rehearses a project outside the workspace until a person chooses crewAI", async () => {
    await chooses("rehearsal", /not in this workspace/, { isInWorkspace: false });
    await chooses("crewai", /^crewAI/, { isInWorkspace: false, wish: "crewai" });
  });

  it("runs the example crew with crewAI where that and a model are, and otherwise says what is missing", async () => {
    const example = { isExample: true, isInWorkspace: false };
    const withModel = { ...example, hasModel: () => Promise.resolve(true) };
    await chooses("crewai", /^crewAI/, withModel);
    const noModel = { ...example, hasModel: () => Promise.resolve(false) };
    await chooses("rehearsal", /crewAI 1\.15\.30 is here, but no model/, noModel);
    const findInterpreter = () => Promise.resolve(undefined);
    await chooses("rehearsal", /No Python/, { ...withModel, findInterpreter });
    await chooses("crewai", /^crewAI/, { ...example, wish: "crewai" });
  });

  it("rehearses if a person wants that, without a reason", async () => {
    const plan = await chooseEngine(question({ wish: "rehearsal" }));
    assert.deepEqual(plan, { engine: "rehearsal" });
  });

  it("searches for no interpreter in Restricted Mode, nor for a rehearsal", async () => {
    const findInterpreter = () => Promise.reject(new Error("It searched."));
    await chooseEngine(question({ findInterpreter, isTrusted: false, wish: "crewai" }));
    await chooseEngine(question({ findInterpreter, isInWorkspace: false }));
    await chooseEngine(question({ findInterpreter, wish: "rehearsal" }));
  });
});
