import assert from "node:assert/strict";
import * as vscode from "vscode";
import { editorModels } from "../../src/models/chat.ts";
import { waitFor } from "../support/wait.ts";
import { SecondWindow } from "./second-window.ts";

describe("An editor built on VS Code that lacks parts of it", () => {
  const second = new SecondWindow();

  function replace(target: object, name: string, value: unknown): void {
    const before = Object.getOwnPropertyDescriptor(target, name)!;
    Object.defineProperty(target, name, { configurable: true, enumerable: true, value });
    second.atEnd(() => Object.defineProperty(target, name, before));
  }

  async function activate() {
    const warnings: string[] = [];
    const { createOutputChannel } = vscode.window;
    const create = (name: string, options: { log: true }) =>
      Object.create(createOutputChannel(name, options), {
        warn: { value: (line: string) => warnings.push(line) },
      }) as vscode.LogOutputChannel;
    replace(vscode.window, "createOutputChannel", create);
    return { ...(await second.openWithPerson()), warnings };
  }

  it("activates without tools and models of the editor, and names once what is off", async () => {
    replace(vscode.lm, "registerTool", undefined);
    replace(vscode.lm, "selectChatModels", undefined);
    const { api, person, run, warnings } = await activate();
    assert.equal(api.version, 1);
    await run("startLocalCrew", { folder: second.example });
    assert.deepEqual(await editorModels(), []);
    assert.deepEqual(warnings, [
      "Tools for language models: off, because this editor lacks lm.registerTool.",
    ]);
    assert.deepEqual(person.shown, []);
    assert.equal(api.crews().length, 1);
    await run("stopLocalCrew", { folder: second.example });
  });

  it("activates without node:sqlite, says once what is missing and what to do, and rejects actions with the same message", async () => {
    const load = process.getBuiltinModule.bind(process);
    const without = (name: string) => (name === "node:sqlite" ? undefined : load(name));
    replace(process, "getBuiltinModule", without);
    const { api, person, run } = await activate();
    await waitFor("the message", () => person.shown.length > 0);
    const says =
      /^Crewdeck can't store anything in this editor: its Node \(v[\d.]+\) has no SQLite \(node:sqlite\)\. Update the editor, or use VS Code\.$/;
    assert.match(person.shown[0]?.text ?? "", says);
    assert.deepEqual(person.shown[0]?.choices, []);
    assert.deepEqual(api.executions(), []);
    const message = (error: Error) => says.test(error.message);
    await assert.rejects(run("startLocalCrew", { folder: second.example }), message);
    await assert.rejects(run("approve", { crew: "x", kickoffId: "y" }), message);
    assert.equal(person.shown.length, 1);
  });
});
