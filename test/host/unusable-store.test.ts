import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as vscode from "vscode";
import type { CrewdeckApi } from "../../src/extension-api/crewdeck-api.ts";
import { waitFor } from "../support/wait.ts";
import { CountedWindow } from "./counted-window.ts";
import { MemoryMemento, MemorySecrets } from "./memory.ts";
import { ScriptedPerson } from "./scripted-person.ts";

describe("A window with an unusable database", () => {
  const extension = vscode.extensions.getExtension("crewdeck.crewdeck")!;
  const copy = path.join(extension.extensionPath, "out", "unusable", String(process.pid));
  let storage: string;
  const ends: (() => unknown)[] = [];

  before(async () => {
    await extension.activate();
    await cp(path.join(extension.extensionPath, "dist"), copy, { recursive: true });
  });

  beforeEach(async () => {
    storage = await mkdtemp(path.join(tmpdir(), "crewdeck-host-unusable-"));
  });

  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
    await rm(storage, { recursive: true, force: true });
  });

  after(() => rm(copy, { recursive: true, force: true }));

  /** Activates what ships, a second time in this window, with a storage of its own. */
  const activate = async () => {
    const window = new CountedWindow(copy);
    ends.push(() => window.dispose());
    const person = new ScriptedPerson([]);
    ends.push(() => person.dispose());
    const subscriptions: vscode.Disposable[] = [];
    ends.push(() => {
      for (const subscription of subscriptions) subscription.dispose();
    });
    const require = createRequire(path.join(copy, "extension.js"));
    for (const name of Object.keys(require.cache))
      if (name.startsWith(copy)) Reflect.deleteProperty(require.cache, name);
    const { activate } = require(path.join(copy, "extension.js")) as {
      activate: (context: unknown) => Promise<CrewdeckApi>;
    };
    const api = await activate({
      subscriptions,
      secrets: new MemorySecrets(),
      globalState: new MemoryMemento(),
      workspaceState: new MemoryMemento(),
      extension,
      extensionUri: extension.extensionUri,
      extensionPath: extension.extensionPath,
      globalStorageUri: vscode.Uri.file(storage),
    });
    await waitFor("the message", () => person.shown.length > 0);
    return {
      api,
      person,
      run: (id: string, argument: unknown) =>
        Promise.resolve(window.commands.get(`crewdeck.${id}`)!(argument)),
    };
  };
  const example = path.join(extension.extensionPath, "media", "example-crew");

  it("activates if the database is of a newer version, explains once what to do, rejects actions with the same message, and changes nothing", async () => {
    const file = path.join(storage, "crewdeck.db");
    const newer = new DatabaseSync(file);
    newer.exec("PRAGMA user_version = 99; CREATE TABLE newer (x); INSERT INTO newer VALUES (1)");
    newer.close();
    const before = await readFile(file);
    const { api, person, run } = await activate();
    assert.deepEqual(
      person.shown.map(({ text, choices }) => [text, choices]),
      [
        [
          "Crewdeck's data on this machine was written by a newer version of the extension. It isn't read or changed. Update the extension, then reload the window.",
          ["Show Extension"],
        ],
      ],
    );
    assert.deepEqual(api.executions(), []);
    const says = /written by a newer version of the extension/;
    await assert.rejects(run("startLocalCrew", { folder: example }), says);
    await assert.rejects(run("deleteLocalData", { what: "data" }), says);
    await assert.rejects(run("openDrafts", { crew: "x", kickoffId: "y" }), says);
    assert.equal(person.shown.length, 1);
    assert.ok((await readFile(file)).equals(before));
  });

  it("activates if the database can't be opened, explains why once, and rejects actions with the same message", async () => {
    await rm(storage, { recursive: true });
    await writeFile(storage, "a file in the place of the folder");
    const { person, run } = await activate();
    assert.match(person.shown[0]?.text ?? "", /can't be read or written.*Check the disk/);
    assert.deepEqual(person.shown[0]?.choices, ["Reload Window"]);
    await assert.rejects(run("startLocalCrew", { folder: example }), /can't be read or written/);
    assert.equal(person.shown.length, 1);
  });
});
