import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { CrewdeckApi } from "../../src/extension-api/crewdeck-api.ts";
import { waitFor } from "../support/wait.ts";
import { startRealService, type RealService } from "./real-service.ts";

const run = <T>(command: string, argument?: unknown): Promise<T> =>
  Promise.resolve(vscode.commands.executeCommand<T>(`crewdeck.${command}`, argument));

describe("Comparing two executions by a command", () => {
  let service: RealService;
  const crew = "Side by side";
  const ids: string[] = [];

  before(async () => {
    service = await startRealService();
    await vscode.extensions.getExtension<CrewdeckApi>("crewdeck.crewdeck")!.activate();
    await run("addCrew", { name: crew, url: service.url, token: service.token });
    for (const topic of ["tea", "coffee"]) {
      const inputs = { topic, audience: "guests" };
      const { kickoffId } = await run<{ kickoffId: string }>("kickoff", {
        crew,
        inputs,
        form: false,
      });
      ids.push(kickoffId);
    }
  });

  after(async () => {
    for (const kickoffId of ids) await run("untrackExecution", { crew, kickoffId });
    await vscode.workspace
      .getConfiguration("crewdeck")
      .update("crews", undefined, vscode.ConfigurationTarget.Global);
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await service.stop();
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
