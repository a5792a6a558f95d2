import assert from "node:assert/strict";
import { defaultDataFolder } from "../../../src/service/data-folder.ts";
import { nodeProblem } from "../../../src/service/errors.ts";
import { rehearsalEngine, rehearsalMark } from "../../../src/service/engine.ts";
import { noReports } from "../../support/reports.ts";
import { crew, inputs } from "./support.ts";

describe("service: start", () => {
  it("needs Node 22.13 with node:sqlite, and reports the version", () => {
    for (const version of ["22.13.0", "22.20.1", "23.0.0", "24.11.1", "26.0.0"])
      assert.equal(nodeProblem(version, true), undefined);
    for (const version of ["18.20.0", "20.20.2", "22.12.0", "22.5.1"])
      assert.match(
        nodeProblem(version, true) ?? "",
        new RegExp(`Node 22\\.13 or newer.*this is Node ${version}`),
      );
    assert.match(nodeProblem("24.0.0", false) ?? "", /Node 24\.0\.0 was built without it/);
  });

  it("keeps a crew's data outside its project, always in the same folder", () => {
    const env = { XDG_DATA_HOME: "/data", LOCALAPPDATA: "/data" };
    const folder = defaultDataFolder("/work/crew", env);
    assert.equal(defaultDataFolder("/work/crew/", env), folder);
    assert.notEqual(defaultDataFolder("/other/crew", env), folder);
  });
});

describe("service: the rehearsal engine", () => {
  const attempt = {
    executionId: "1",
    project: crew,
    taskIndex: 0,
    task: crew.tasks[0]!,
    agent: crew.agents[0],
    inputs,
    earlier: [],
    notes: [],
    attempt: 1,
    isFirst: true,
  };

  it("always returns the same output, with a line that marks it", async () => {
    const engine = rehearsalEngine(0);
    const { output } = await engine.run(attempt, noReports);
    assert.equal(output, (await engine.run(attempt, noReports)).output);
    assert.equal(
      output,
      `${rehearsalMark}\n\nAgent: Researcher of tides\nTask: Research tides\nExpected output: Notes for sailors\nAttempt: 1\nEarlier outputs: 0`,
    );
  });

  it("takes the configured time", async () => {
    const start = performance.now();
    await rehearsalEngine(0.1).run(attempt, noReports);
    assert.ok(performance.now() - start >= 95);
  });

  it("repeats feedback of several lines, but no empty feedback", async () => {
    const notes = [
      { taskId: "draft", attempt: 1, isApprove: false, feedback: "One.\nTwo.", output: "" },
      { taskId: "draft", attempt: 2, isApprove: true, feedback: " ", output: "" },
    ];
    assert.match(
      (await rehearsalEngine(0).run({ ...attempt, notes }, noReports)).output,
      /Feedback:\n- draft, attempt 1, rejected: One\.\n {2}Two\.$/,
    );
  });
});
