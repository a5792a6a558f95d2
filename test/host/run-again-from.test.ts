import assert from "node:assert/strict";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import type { CrewdeckApi } from "../../src/actions/crewdeck-api.ts";
import { temporaryFolder } from "../support/folders.ts";
import { waitFor } from "../support/wait.ts";
import { closeTab, run } from "./extension.ts";
import { withPerson } from "./scripted-person.ts";

interface Made {
  readonly crew: string;
  readonly kickoffId: string;
}

describe("Run Again from Here", () => {
  let api: CrewdeckApi;
  let folder: string;
  let crewId: string;
  let crew: string;
  let first: Made;
  const found = ({ kickoffId }: Made) =>
    api.executions().find((execution) => execution.kickoffId === kickoffId);
  const untilWaiting = (made: Made) =>
    waitFor("the execution to wait", () => found(made)?.state === "waiting", 60_000);
  /** The task that waits, as its row in the view names it. */
  const row = () => {
    const { waiting, kickoffId } = found(first) ?? {};
    return { kind: "task", crew, kickoffId, taskId: waiting?.taskId ?? "" };
  };
  const outputOf = (made: Made, taskId: string) =>
    found(made)
      ?.tasks.find((task) => task.taskId === taskId)
      ?.attempts.at(-1)?.output;

  before(async () => {
    const extension = vscode.extensions.getExtension<CrewdeckApi>("crewdeck.crewdeck")!;
    api = await extension.activate();
    folder = path.join(temporaryFolder("run-again"), "again-crew");
    cpSync(path.join(extension.extensionUri.fsPath, "media", "example-crew"), folder, {
      recursive: true,
    });
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
    const { shown } = await withPerson(["escape"], () => run("runAgainFrom", row()));
    assert.equal(shown[0]?.text, "Run “tea” again?");
    assert.match(shown[0].detail ?? "", /Outputs of earlier tasks that are kept: 1\./);
    assert.equal(api.executions().length, count);
  });

  it("opens in the form to be edited first, from the Command Palette too, and sends nothing by itself", async () => {
    const count = api.executions().length;
    await run("openExecution", first);
    const { taskId } = row();
    const moves = [{ pick: taskId }, { press: "Edit First…" }];
    const opened = withPerson(moves, () => run("runAgainFrom"));
    await Promise.race([closeTab(`Run ${crew} again`), opened]);
    const { result, shown } = await opened;
    assert.equal(result, undefined);
    assert.equal(shown[0]?.text, "From which task?");
    assert.equal(api.executions().length, count);
  });

  it("names a task whose definition changed before anything starts, and keeps its output if the person runs it anyway", async () => {
    const tasks = path.join(folder, "src", "example_crew", "config", "tasks.yaml");
    const text = readFileSync(tasks, "utf8");
    const [earlier] = found(first)?.tasks ?? [];
    const count = api.executions().length;
    writeFileSync(tasks, text.replace("A list of eight to twelve findings", "Five findings"));
    try {
      const { shown } = await withPerson([{ press: "Run Again" }, "escape"], () =>
        run("runAgainFrom", row()),
      );
      assert.equal(shown[1]?.text, "The crew has changed. Run again anyway?");
      assert.match(shown[1].detail ?? "", new RegExp(`"${earlier?.taskId}" changed`));
      assert.equal(api.executions().length, count);
      const { result } = await withPerson([{ press: "Run Again" }, { press: "Run Anyway" }], () =>
        run<Made>("runAgainFrom", row()),
      );
      // A callback tells of the pause; the kept output comes with the next status.
      const output = await waitFor("the kept output", () =>
        outputOf(result, earlier?.taskId ?? ""),
      );
      assert.match(output, /REHEARSAL/);
      assert.equal(output, outputOf(first, earlier?.taskId ?? ""));
    } finally {
      writeFileSync(tasks, text);
    }
  });
});
