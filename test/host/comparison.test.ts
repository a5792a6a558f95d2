import assert from "node:assert/strict";
import * as vscode from "vscode";
import { waitFor } from "../support/wait.ts";
import { kickOff, run } from "./extension.ts";
import { serveCrew } from "./real-service.ts";

describe("Comparing two executions by a command", () => {
  const crew = "Side by side";
  const ids: string[] = [];

  serveCrew(crew, () => undefined);

  before(async () => {
    for (const topic of ["tea", "coffee"])
      ids.push(await kickOff(crew, { topic, audience: "guests" }));
  });

  const labels = () =>
    vscode.window.tabGroups.all.flatMap(({ tabs }) =>
      tabs.map(({ label }) => label).filter((label) => label.includes("↔")),
    );
  const shown = (...wanted: readonly string[]) =>
    waitFor(wanted.join(", "), () => Promise.resolve(String(labels()) === String(wanted)));

  it("returns the pair, shows it in one tab, and refuses what is no other execution", async () => {
    const [tea = "", coffee = ""] = ids;
    const [one, other] = [
      { crew, kickoffId: tea },
      { crew, kickoffId: coffee },
    ];
    assert.deepEqual(await run("compareExecutions", { ...one, with: other }), {
      ...one,
      with: other,
    });
    await shown("tea ↔ coffee");
    await run("compareExecutions", { ...other, with: one });
    await shown("coffee ↔ tea");
    const refused = (argument: unknown, message: RegExp) =>
      assert.rejects(run("compareExecutions", argument), message);
    await refused({ ...one, with: one }, /compared with itself/);
    await refused({ ...one, with: { crew } }, /“with\.kickoffId” is missing/);
    await refused({ ...one, with: { crew, kickoffId: "none" } }, /No execution with the ID “none”/);
    await refused({ ...one, with: 2 }, /The argument must be one object, not number/);
    await shown("coffee ↔ tea");
  });
});
