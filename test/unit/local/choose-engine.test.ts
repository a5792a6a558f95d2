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
    unfit: undefined,
    hasModel: () => Promise.reject(new Error("A project names its model.")),
    findInterpreter: () => Promise.resolve(interpreter),
    settingProblem: () => Promise.resolve(undefined),
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
      settingProblem: () => Promise.resolve("The setting is wrong."),
    },
    /^No Python was found for the project\. The setting is wrong\.$/,
  ],
];

describe("choosing a local crew's engine", () => {
  it("takes crewAI where it can run, and says where that is", async () => {
    const plan = await chooseEngine(question());
    assert.deepEqual(plan, { engine: "crewai", python, note: `crewAI 1.15.30, ${python}` });
  });

  for (const [because, more, why] of obstacles)
    it(`rehearses because ${because}, and says so; a wish for crewAI is refused`, async () => {
      const plan = await chooseEngine(question(more));
      assert.equal(plan.engine, "rehearsal");
      assert.match(plan.note ?? "", why);
      const wished = await chooseEngine(question({ ...more, wish: "crewai" }));
      assert.equal(wished.engine, undefined);
      assert.match(wished.note ?? "", why);
    });

  for (const [unfit, words] of [
    ["flow", /^A flow can't be rehearsed/],
    ["tasks", /^This crew can't be rehearsed/],
  ] as const)
    it(`never rehearses what is unfit (${unfit}): it runs with crewAI, or says why it can't`, async () => {
      assert.equal((await chooseEngine(question({ unfit }))).engine, "crewai");
      for (const [, more, why] of obstacles) {
        const plan = await chooseEngine(question({ ...more, unfit }));
        assert.equal(plan.engine, undefined);
        assert.match(plan.note ?? "", why);
      }
      const wished = await chooseEngine(question({ unfit, wish: "rehearsal" }));
      assert.equal(wished.engine, undefined);
      assert.match(wished.note ?? "", words);
    });

  it("rehearses a project outside the workspace until a person chooses crewAI", async () => {
    const outside = question({ isInWorkspace: false });
    const plan = await chooseEngine(outside);
    assert.equal(plan.engine, "rehearsal");
    assert.match(plan.note ?? "", /not in this workspace/);
    assert.equal((await chooseEngine({ ...outside, wish: "crewai" })).engine, "crewai");
  });

  it("runs the example crew with crewAI where that and a model are, and otherwise says what is missing", async () => {
    const example = question({ isExample: true, isInWorkspace: false });
    const withModel = { ...example, hasModel: () => Promise.resolve(true) };
    assert.equal((await chooseEngine(withModel)).engine, "crewai");
    const plan = await chooseEngine({ ...example, hasModel: () => Promise.resolve(false) });
    assert.equal(plan.engine, "rehearsal");
    assert.match(plan.note ?? "", /crewAI 1\.15\.30 is here, but no model/);
    const nothing = await chooseEngine({
      ...withModel,
      findInterpreter: () => Promise.resolve(undefined),
    });
    assert.equal(nothing.engine, "rehearsal");
    assert.match(nothing.note ?? "", /No Python/);
    assert.equal((await chooseEngine({ ...example, wish: "crewai" })).engine, "crewai");
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
