import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { systemClock } from "../../src/base/clock.ts";
import type { Crew } from "../../src/crews/types.ts";
import { openFormsRoom } from "../../src/kickoff/forms-room.ts";
import { choosePreset } from "../../src/kickoff/presets/choose.ts";
import { Presets } from "../../src/kickoff/presets/presets.ts";
import { waitFor } from "../support/wait.ts";
import { ScriptedPerson, type Move } from "./scripted-person.ts";

const crew: Crew = { id: "url:https://crew.test", name: "Travel", url: "https://crew.test" };
const saveItem = "$(add) Save the Form's Values as a Preset…";

describe("Choosing presets", () => {
  let folder: string;
  let presets: Presets;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "crewdeck-host-presets-"));
    presets = new Presets({ folder, onProblem: (problem) => assert.fail(problem.kind) });
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const choose = async (
    moves: readonly Move[],
    values?: Parameters<typeof choosePreset>[0]["values"],
  ) => {
    const person = new ScriptedPerson(moves);
    try {
      const chosen = await choosePreset({ presets, crew, values });
      assert.deepEqual(person.left, []);
      return { chosen, shown: person.shown };
    } finally {
      person.dispose();
    }
  };
  const names = async () => (await presets.list(crew.id)).map(({ name }) => name);

  it("saves the form's values first of all, under a name made of the first input, and asks before it replaces", async () => {
    const { chosen, shown } = await choose([{ pick: saveItem }, { type: " " }, { type: "Oslo" }], {
      inputs: { city: "Oslo", days: 3 },
    });
    assert.equal(chosen, undefined);
    assert.deepEqual(
      [shown[0]?.choices, shown[1]?.value, shown[1]?.complaint],
      [[saveItem], "Oslo", "A preset needs a name."],
    );
    await choose([{ pick: saveItem }, { type: "Oslo" }, "escape", "escape"], {
      inputs: { city: "Bergen" },
    });
    assert.deepEqual((await presets.list(crew.id))[0]?.values, {
      inputs: { city: "Oslo", days: 3 },
    });
    await choose([{ pick: saveItem }, { type: "Oslo" }, { press: "Replace" }], {
      inputs: { city: "Bergen" },
    });
    assert.deepEqual(await presets.list(crew.id), [
      { name: "Oslo", values: { inputs: { city: "Bergen" } } },
    ]);
    assert.deepEqual(
      [shown[0]?.active, (await choose(["escape"], { inputs: {} })).shown[0]?.active],
      [saveItem, "Oslo"],
      "Enter takes a preset where there is one",
    );
  });

  it("gives the values of the one that is chosen; without a form there is nothing to save", async () => {
    await presets.save(crew.id, "$(flame) hot", {
      inputs: { city: "Oslo" },
      crewWebhookUrl: "https://h.test",
    });
    const { chosen, shown } = await choose([{ pick: "\\$(flame) hot" }]);
    assert.deepEqual(chosen, { inputs: { city: "Oslo" }, crewWebhookUrl: "https://h.test" });
    assert.deepEqual(shown[0]?.choices, ["\\$(flame) hot"]);
  });

  it("renames and deletes by the buttons of a row, and comes back to the list", async () => {
    await presets.save(crew.id, "a", { inputs: {} });
    await presets.save(crew.id, "b", { inputs: {} });
    const { shown } = await choose([
      { press: "Rename Preset…", on: "a" },
      { type: "b" },
      { type: "c" },
      { press: "Delete Preset", on: "b" },
      "escape",
      { press: "Delete Preset", on: "b" },
      { press: "Delete" },
      "escape",
    ]);
    assert.equal(shown[1]?.complaint, "There is already a preset of this name.");
    assert.deepEqual(shown.at(-1)?.choices, ["c"]);
    assert.deepEqual(await names(), ["c"]);
  });

  it("puts no live link into the box that asks for a new name", async () => {
    await presets.save(crew.id, "[a](command:crewdeck.kickoff)", { inputs: {} });
    const { shown } = await choose([
      { press: "Rename Preset…", on: "[a](command:crewdeck.kickoff)" },
      "escape",
      "escape",
    ]);
    assert.equal(shown[1]?.text, "New name of the preset “[a]\u200b(command:crewdeck.kickoff)”");
  });

  it("moves along with a crew's new address, goes with the crew, and tells a person of a file it can't read", async () => {
    const uri = vscode.Uri.file(folder);
    const unused = () => assert.fail("no form is open");
    const room = openFormsRoom({
      context: { extensionUri: uri, globalStorageUri: uri },
      crews: {
        find: unused,
        get: unused,
        inputs: unused,
        onDidChange: () => new vscode.Disposable(() => undefined),
      },
      store: { list: unused, find: unused },
      sender: { earlier: unused, send: unused },
      editor: { selection: undefined },
      clock: systemClock,
      wake: unused,
      onStarted: unused,
      onOpenExecution: unused,
    });
    const kept = room.presets;
    const to: Crew = { id: "url:https://new.test", name: "Travel", url: "https://new.test" };
    const person = new ScriptedPerson([]);
    try {
      await kept.save(crew.id, "a", { inputs: {} });
      room.move(crew, to);
      await waitFor(
        "the preset at its new address",
        async () => (await kept.list(to.id)).length === 1,
      );
      room.move(to, { ...to, name: "Renamed" });
      assert.equal((await kept.list(to.id)).length, 1);
      const files = vscode.Uri.joinPath(vscode.Uri.file(folder), "presets");
      const [file] = await readdir(files.fsPath);
      await vscode.workspace.fs.writeFile(
        vscode.Uri.joinPath(files, file!),
        new TextEncoder().encode("{"),
      );
      assert.deepEqual(await kept.list(to.id), []);
      assert.match(
        person.shown[0]?.text ?? "",
        /could not be understood\. Their file is kept as .*\.corrupt/,
      );
      await kept.save(to.id, "b", { inputs: {} });
      room.forget(to.id);
      await waitFor("no presets", async () =>
        (await readdir(files.fsPath)).every((name) => name.endsWith(".corrupt")),
      );
    } finally {
      person.dispose();
      room.dispose();
    }
  });
});
