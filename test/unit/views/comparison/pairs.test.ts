import assert from "node:assert/strict";
import { pairsOf } from "../../../../src/views/comparison/pairs.ts";

const tasks = (names: string) =>
  names
    .split(" ")
    .filter(Boolean)
    .map((taskId) => ({ taskId }));
const pairs = (left: string, right: string) =>
  pairsOf({ left: tasks(left), right: tasks(right) }).map(
    (pair) => `${pair.left?.taskId ?? ""}–${pair.right?.taskId ?? ""}`,
  );

describe("Tasks of two executions", () => {
  it("are matched by their names, in whatever order", () => {
    assert.deepEqual(pairs("plan write", "plan write"), ["plan–plan", "write–write"]);
    assert.deepEqual(pairs("plan write", "write plan"), ["plan–plan", "write–write"]);
    assert.deepEqual(pairs("write_report", "Write-Report"), ["write_report–Write-Report"]);
  });

  it("are matched by their order if they were renamed", () => {
    assert.deepEqual(pairs("plan draft write", "plan outline write"), [
      "plan–plan",
      "draft–outline",
      "write–write",
    ]);
    assert.deepEqual(pairs("a b", "c d"), ["a–c", "b–d"]);
  });

  it("stay alone where the other one has none, in their place", () => {
    assert.deepEqual(pairs("plan write", "plan check write"), [
      "plan–plan",
      "–check",
      "write–write",
    ]);
    assert.deepEqual(pairs("intro plan", "plan check"), ["intro–", "plan–plan", "–check"]);
    assert.deepEqual(pairs("", "plan write"), ["–plan", "–write"]);
    assert.deepEqual(pairs("plan", ""), ["plan–"]);
  });

  it("are paired once, also if names repeat", () => {
    assert.deepEqual(pairs("plan plan", "plan"), ["plan–plan", "plan–"]);
  });
});
