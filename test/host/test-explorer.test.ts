import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { TestExplorer } from "../../src/tests/explorer.ts";
import { withReplaced } from "./extension.ts";

type Run = Parameters<vscode.TestController["createRunProfile"]>[2];

describe("The Test Explorer", () => {
  const folder = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
  const file = path.join(folder, "explored.kickoff.json");
  const runs = new Map<string, Run>();
  let controller: vscode.TestController;
  let explorer: TestExplorer;
  let isTrusted = true;

  before(async () => {
    await writeFile(file, '{"cases": [{}, {"label": "Two"}], "expect": [{"contains": "x"}]}');
    const createController = () => {
      controller = vscode.tests.createTestController("crewdeck-explored", "Explored");
      const add = controller.createRunProfile.bind(controller);
      controller.createRunProfile = (label, kind, run, ...more) => {
        runs.set(label, run);
        return add(label, kind, run, ...more);
      };
      return controller;
    };
    const { extensionUri: extension } = vscode.extensions.getExtension("crewdeck.crewdeck")!;
    const routeOf = () => Promise.resolve({});
    explorer = new TestExplorer({
      ...{ extension, routeOf, createController, isTrusted: () => isTrusted },
      act: () => Promise.resolve(),
    });
    await explorer.refresh();
  });

  after(async () => {
    explorer.dispose();
    await rm(file);
  });

  const none = new vscode.CancellationTokenSource().token;
  const runWith = (profile: string) => runs.get(profile)!(new vscode.TestRunRequest(), none);

  it("has files with their cases, and marks a file that is not valid", async () => {
    const item = () => controller.items.get(file);
    const cases = Array.from(item()!.children, ([, { label }]) => label);
    assert.deepEqual(cases, ["case 1", "Two"]);
    await writeFile(file, '{"expect": [{"contain": "x"}]}');
    await explorer.refresh();
    assert.match(item()?.error as string, /expect\[0\]\.contain has no meaning/);
    await writeFile(file, '{"expect": [{"contains": "x"}]}');
    await explorer.refresh();
    assert.equal(item()?.error, undefined);
    assert.deepEqual([...runs.keys()], ["Replay", "Record", "Live"]);
  });

  it("says why a test can't run that was changed meanwhile", async () => {
    const rows = path.join(folder, "explored.jsonl");
    writeFileSync(rows, "{}\n{}\n");
    writeFileSync(file, '{"cases": "explored.jsonl", "expect": [{"contains": "x"}]}');
    await explorer.refresh();
    const messages: unknown[] = [];
    const runAfter = async (text: string) => {
      const createTestRun = () => {
        writeFileSync(rows, text);
        const errored = (_: unknown, { message }: vscode.TestMessage) => messages.push(message);
        const ignore = () => undefined;
        return { errored, enqueued: ignore, appendOutput: ignore, end: ignore };
      };
      const test = Array.from(controller.items.get(file)!.children, ([, item]) => item).at(-1)!;
      const request = new vscode.TestRunRequest([test]);
      await withReplaced(controller, { createTestRun }, async () => {
        await runs.get("Replay")!(request, none);
      });
      writeFileSync(rows, "{}\n{}\n");
    };
    await runAfter("[]\n");
    await runAfter("{}\n");
    assert.match(String(messages[0]), /Line 1 of explored\.jsonl is not a JSON object/);
    assert.match(String(messages[1]), /has no case 2\.$/);
    await rm(rows);
    await writeFile(file, '{"expect": [{"contains": "x"}]}');
    await explorer.refresh();
  });

  it("asks once before it calls models, and runs nothing in Restricted Mode", async () => {
    const asked: unknown[] = [];
    const show = (...question: unknown[]) => void asked.push(question[0]);
    const createTestRun = () => assert.fail("a run has begun");
    await withReplaced(controller, { createTestRun }, () =>
      withReplaced(
        vscode.window,
        { showWarningMessage: show, showErrorMessage: show },
        async () => {
          await runWith("Record");
          await runWith("Live");
          isTrusted = false;
          await runWith("Replay");
        },
      ),
    );
    assert.deepEqual(asked, [
      "Record tests? (1)",
      "Run tests live? (1)",
      "In Restricted Mode, none of the project's code runs.",
    ]);
  });
});
