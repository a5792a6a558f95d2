import assert from "node:assert/strict";
import { activityOf } from "../../../../src/executions/activity.ts";
import { type Execution, without } from "../../../../src/executions/model.ts";
import { withTimes } from "../../../../src/executions/times.ts";
import type { Sides } from "../../../../src/views/comparison/messages.ts";
import { comparisonModel, comparisonTitle } from "../../../../src/views/comparison/model.ts";
import { comparedSamples, prices } from "../../../support/page/comparison-samples.ts";
import { aTask } from "../executions.ts";

const known = { left: { prices }, right: { prices } };

function samples(change: Partial<Sides<Partial<Execution>>> = {}): Sides<Execution> {
  const { left, right } = comparedSamples();
  const timed = ({ execution, events = [] }: typeof left) =>
    events.length === 0
      ? execution
      : withTimes(execution, activityOf(execution, { events, left: 0 }));
  return {
    left: { ...timed(left), ...change.left },
    right: { ...timed(right), ...change.right },
  };
}

const figures = (pair: Sides<Execution>) =>
  comparisonModel(pair, known).figures.map(
    ({ label, values: { left, right }, difference }) =>
      `${label}: ${left} | ${right} | ${difference}`,
  );

describe("The model of a comparison", () => {
  it("begins with how the right one differs in model, tokens, cost and time", () => {
    assert.deepEqual(figures(samples()), [
      "Model: gpt-5-mini | gpt-5 | different",
      "Tokens: 14,220 | 11,520 | −2,700 (−19\u00a0%)",
      "Tokens in: 12,300 | 9,600 | −2,700 (−22\u00a0%)",
      "Estimated cost: $0.0069 | $0.031 | +$0.024 (+351\u00a0%)",
      "Duration: 40 s | 55 s | +15 s (+38\u00a0%)",
      "Tokens out: 1,920 | 1,920 | same",
    ]);
    const { executions } = comparisonModel(samples(), known);
    assert.equal(executions.right.crew, "Writers here · crewAI");
  });

  it("compares nothing that is under way, or that only one has", () => {
    const { left, right } = samples();
    const tasks = left.tasks.map((task) => ({ ...task, times: { ...task.times, waited: 6.5 } }));
    const running: Execution = {
      ...without(right, "endedAt", "executionTime", "models"),
      state: "running",
      tasks: [],
    };
    assert.deepEqual(figures({ left: { ...left, tasks: tasks.slice(0, 1) }, right: running }), [
      "Model: gpt-5-mini | undefined | ",
      "Tokens: 14,220 | undefined | ",
      "Tokens in: 12,300 | undefined | ",
      "Tokens out: 1,920 | undefined | ",
      "Estimated cost: $0.0069 | undefined | ",
      "Duration: about 40 s | undefined | ",
      "Waited for you: 6.5 s | undefined | ",
    ]);
  });

  it("has the inputs that differ first", () => {
    const { inputs, inputsNote } = comparisonModel(samples(), known);
    assert.deepEqual(
      inputs.map(({ label, difference }) => `${label}: ${difference}`),
      ["topic: different", "style: different", "audience: same", "options: same"],
    );
    assert.equal(inputsNote, undefined);
    const { left, right } = samples();
    const tracked = comparisonModel({ left, right: without(right, "request") }, known);
    assert.deepEqual(tracked.inputs, []);
    const note = tracked.inputsNote;
    assert.equal(note, "The inputs of “tea at home” aren't known: it was started elsewhere.");
  });

  it("has each task's last outputs, and tasks that only one has", () => {
    const { outputs } = comparisonModel(samples(), known);
    const rows = outputs.map(({ label, difference }) => [label, difference]);
    assert.deepEqual(rows, [
      ["research", "same output"],
      ["outline", "different output"],
      ["briefing", "same output"],
      ["Result", "same output"],
      ["check", "only on one side"],
    ]);
    assert.match(String(outputs[1]?.values.left), /^Completed · Editor · attempt 2 · 15 s/);
    assert.deepEqual(outputs[4]?.values, { right: "Completed · Checker" });
  });

  it("pairs tasks by their names, once", () => {
    const pairs = (left: string, right: string) => {
      const named = (names: string) => ({
        tasks: names.split(" ").map((taskId) => aTask(taskId, "completed")),
      });
      const compared = samples({ left: named(left), right: named(right) });
      return comparisonModel(compared, known)
        .outputs.map(({ id }) => id.replace("\n", "–"))
        .filter((id) => id !== "Result–Result");
    };
    assert.deepEqual(pairs("plan write_report", "Write-Report plan"), [
      "plan–plan",
      "write_report–Write-Report",
    ]);
    assert.deepEqual(pairs("intro plan", "plan check"), ["intro–", "plan–plan", "–check"]);
    assert.deepEqual(pairs("plan plan", "plan"), ["plan–plan", "plan–"]);
  });

  it("compares results, and the output that waits", () => {
    const { left, right } = samples({ right: { output: "Drink coffee." } });
    const result = comparisonModel({ left, right }, known).outputs.at(-2);
    assert.deepEqual([result?.label, result?.opens], ["Result", true]);
    assert.deepEqual(result?.values, { left: "Drink tea.", right: "Drink coffee." });
    const at = right.startedAt;
    const waiting: Execution = {
      ...without(right, "endedAt", "output"),
      state: "waiting",
      tasks: [aTask("outline", "waiting", { output: "# Draft" })],
      waiting: { taskId: "outline", output: "# Draft", attempt: 1, since: at },
    };
    const { outputs } = comparisonModel({ left, right: waiting }, known);
    const rows = outputs.map(({ label, difference }) => [label, difference]);
    assert.deepEqual(rows, [
      ["research", "only on one side"],
      ["outline", "different output"],
      ["briefing", "only on one side"],
      ["Result", "only on one side"],
    ]);
  });

  it("names both by their titles, with their crews if those are the same", () => {
    const pair = samples();
    assert.equal(comparisonTitle(pair), "tea in the office ↔ tea at home");
    const same = { title: { text: "tea", number: 1 } };
    const title = comparisonTitle(samples({ left: same, right: same }));
    assert.equal(title, "Writers: tea ↔ Writers here: tea");
  });
});
