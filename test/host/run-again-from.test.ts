import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { CrewdeckApi } from "../../src/extension-api/crewdeck-api.ts";
import { waitFor } from "../support/wait.ts";
import { withPerson } from "./scripted-person.ts";

const run = <T>(command: string, argument?: unknown): Promise<T> =>
  Promise.resolve(vscode.commands.executeCommand<T>(`crewdeck.${command}`, argument));

interface Made {
  readonly crew: string;
  readonly kickoffId: string;
}

describe("Run Again from Here", () => {
  let api: CrewdeckApi;
  let crewId: string;
  let crew: string;
  let first: Made;
  const found = ({ kickoffId }: Made) =>
    api.executions().find((execution) => execution.kickoffId === kickoffId);
  const untilWaiting = (made: Made) =>
    waitFor("the execution to wait", () => found(made)?.state === "waiting", 60_000);
  const outputOf = (made: Made, taskId: string) =>
    found(made)
      ?.tasks.find((task) => task.taskId === taskId)
      ?.attempts.at(-1)?.output;

  before(async () => {
    const extension = vscode.extensions.getExtension<CrewdeckApi>("crewdeck.crewdeck")!;
    api = await extension.activate();
    const folder = vscode.Uri.joinPath(extension.extensionUri, "media", "example-crew").fsPath;
    const started = await run<{ id: string; name: string }>("startLocalCrew", { folder });
    [crewId, crew] = [started.id, started.name];
    const inputs = { topic: "tea", audience: "sailors" };
    first = await run<Made>("kickoff", { crew, inputs, form: false });
    await untilWaiting(first);
  });

  after(async () => {
    for (const { kickoffId, crew } of api.executions())
      await run("untrackExecution", { crew, kickoffId });
    await withPerson([{ press: "Remove" }], () =>
      run("removeCrew", { kind: "crew", crew: crewId }),
    );
  });

  it("keeps the outputs of earlier tasks, takes one that is given, and uses the given inputs", async () => {
    const taskId = found(first)?.waiting?.taskId ?? "";
    const [earlier] = found(first)?.tasks ?? [];
    assert.notEqual(earlier?.taskId, taskId);
    const again = await run<Made>("runAgainFrom", {
      ...first,
      taskId,
      inputs: { topic: "coffee", audience: "sailors" },
      outputs: { [earlier?.taskId ?? ""]: "What I know of it." },
    });
    assert.notEqual(again.kickoffId, first.kickoffId);
    await untilWaiting(again);
    assert.match(outputOf(again, taskId) ?? "", /coffee/);
    assert.match(outputOf(again, taskId) ?? "", /Earlier outputs: 1/);
  });

  it("asks a person first, and sends nothing if they cancel", async () => {
    const count = api.executions().length;
    const taskId = found(first)?.waiting?.taskId ?? "";
    const row = { kind: "task", crew, kickoffId: first.kickoffId, taskId };
    const { shown } = await withPerson(["escape"], () => run("runAgainFrom", row));
    assert.equal(shown[0]?.text, `Run “tea” again from “${taskId}”?`);
    assert.match(shown[0].detail ?? "", /^The outputs of “.*” are kept\./);
    assert.equal(api.executions().length, count);
  });

  it("says what is wrong with a task that the execution doesn't have, and keeps no record of it", async () => {
    const count = api.executions().length;
    await assert.rejects(
      run("runAgainFrom", { ...first, taskId: "nothing" }),
      /has no task "nothing"/,
    );
    assert.equal(api.executions().length, count);
  });
});
