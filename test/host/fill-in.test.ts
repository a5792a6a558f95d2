import assert from "node:assert/strict";
import { rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { NothingToDo, UserError } from "../../src/base/errors.ts";
import type { Crew } from "../../src/crews/types.ts";
import type { Execution } from "../../src/executions/model.ts";
import type { Prefill } from "../../src/kickoff/callbacks.ts";
import { openKept } from "../../src/kickoff/form/forms.ts";
import {
  fillForm,
  type FillInParts,
  saveValues,
  takeValue,
} from "../../src/kickoff/form/fill-in.ts";
import { longestFile } from "../../src/kickoff/request-files/request-file.ts";
import { valueInShort } from "../../src/kickoff/texts.ts";
import { temporaryFolder } from "../support/folders.ts";
import { anExecution } from "../unit/views/executions.ts";
import { closeEditors } from "./extension.ts";
import { withPerson, type Move } from "./scripted-person.ts";
import { viewParts } from "./view-parts.ts";

const ofFile = "$(file) Text File…";
const { id } = anExecution().crew;
const crew: Crew = { id, name: "Travel", url: "https://crew.test" };
const ran = (topic: string, more: Partial<Execution> = {}) =>
  anExecution({ request: { inputs: { topic }, callbacks: {} }, ...more });

describe("A form that is filled in from another source", () => {
  let window: ReturnType<typeof viewParts>;
  let folder: string;
  let parts: FillInParts;

  beforeEach(() => {
    window = viewParts();
    folder = temporaryFolder("fill-in");
    const { database, store } = window;
    parts = {
      store,
      crews: {
        find: (name) => ([crew.id, crew.name].includes(name) ? crew : undefined),
        get: (name) => assert.fail(name),
      },
      kept: openKept(database, vscode.Uri.file(folder)),
      database,
    };
  });

  afterEach(async () => {
    await closeEditors();
    await window.dispose();
    await rm(folder, { recursive: true });
  });

  const fillIn = (...moves: readonly Move[]) => withPerson(moves, () => fillForm(parts, crew));
  const save = (values: Prefill, ...moves: readonly Move[]) =>
    withPerson(moves, () => saveValues(parts.kept, crew, values));
  const saved = async () => (await parts.kept.list()).map(({ label, values }) => [label, values]);

  it("saves its values under a name made from the first input, and asks before it replaces others", async () => {
    const { shown } = await save({ inputs: { city: "Oslo", days: 3 } }, { type: " " }, "escape");
    assert.deepEqual([shown[0]?.value, shown[0]?.complaint], ["Oslo", "The values need a name."]);
    await save({ inputs: { city: "Oslo" } }, { type: "[a](command:b)" });
    const other = { inputs: { city: "Bergen" } };
    await save(other, { type: "[a](command:b)" }, "escape");
    assert.deepEqual(await saved(), [["[a](command:b)", { inputs: { city: "Oslo" } }]]);
    await save(other, { type: "[a](command:b)" }, { press: "Replace" });
    assert.deepEqual(await saved(), [["[a](command:b)", other]]);
  });

  it("takes saved values, those of a request file of its crew, and those of an execution", async () => {
    await assert.rejects(fillIn(), NothingToDo);
    const [workspace] = vscode.workspace.workspaceFolders ?? [];
    const write = async (name: string, content: object) => {
      const uri = vscode.Uri.joinPath(workspace!.uri, name);
      await vscode.workspace.fs.writeFile(uri, Buffer.from(JSON.stringify(content)));
      return uri;
    };
    const callback = { crewWebhookUrl: "https://hooks.test/a" };
    const files = await Promise.all([
      write("fill.kickoff.json", { crew: "Travel", inputs: { topic: "file" }, ...callback }),
      write("other.kickoff.json", { crew: "Other", inputs: { topic: "other" } }),
    ]);
    const long = "long ".repeat(300);
    window.store.add(ran(long, { localId: "1", label: "Mine" }));
    await parts.kept.save(crew.id, "$(flame) hot", { inputs: { topic: "saved" } });
    await parts.kept.save("url:https://other.test", "other", { inputs: {} });
    try {
      const { result, shown } = await fillIn({ pick: "\\$(flame) hot" });
      assert.deepEqual(result, { inputs: { topic: "saved" } });
      assert.deepEqual(shown[0]?.choices, [
        ...["Saved values", "\\$(flame) hot", "Request files", "fill.kickoff.json"],
        ...["Executions", "Mine"],
      ]);
      const file = { pick: "fill.kickoff.json" };
      assert.equal((await fillIn(file, "escape")).result, undefined, "its callback is not allowed");
      const allowed = (await fillIn(file, { press: "Allow" })).result;
      assert.deepEqual(allowed, { inputs: { topic: "file" }, ...callback });
      assert.deepEqual((await fillIn({ pick: "Mine" })).result, { inputs: { topic: long } });
    } finally {
      for (const file of files) await vscode.workspace.fs.delete(file);
    }
  });

  it("takes saved values of any size and half filled in, but none that a person broke by hand", async () => {
    const values = {
      inputs: { topic: "long ".repeat(250_000) },
      humanInputWebhook: {
        url: "http://hooks.test/a",
        authentication: { strategy: "basic" as const, username: "", password: "" },
      },
    };
    await parts.kept.save(crew.id, "large", values);
    const { result } = await fillIn({ pick: "large" });
    assert.equal(result?.inputs?.["topic"], values.inputs.topic);
    assert.equal(result.humanInputWebhook?.url, "http://hooks.test/a");
    const [file] = await parts.kept.list();
    await writeFile(file!.path, `{"crew": "${crew.id}", "label": "large", "inputs": []}`);
    await assert.rejects(fillIn({ pick: "large" }), /“inputs” has a wrong type/);
  });

  it("deletes saved values with a row's button", async () => {
    for (const name of ["a", "b"]) await parts.kept.save(crew.id, name, { inputs: {} });
    const press = { press: "Delete", on: "a" };
    await fillIn(press, "escape", press, { press: "Delete" }, "escape");
    assert.deepEqual(await saved(), [["b", { inputs: {} }]]);
  });

  const take = (...moves: readonly Move[]) =>
    withPerson(moves, () => takeValue(parts.store, crew.id, "topic"));

  it("gives a field the whole value of an earlier execution, each once", async () => {
    const [one, two] = ["one", "two"].map((end) => `${"Sea otters. ".repeat(100)}${end}`);
    const crew = { ...anExecution().crew, id: "url:https://other.test" };
    const all = [ran("tea"), ran("tea", { label: "Mine" }), ran(one!), ran(two!)];
    for (const [at, execution] of [...all, ran("other", { crew })].entries()) {
      const startedAt = `2026-10-21T12:0${at}:00.000Z`;
      window.store.add({ ...execution, localId: String(at), startedAt });
    }
    const { result: taken, shown } = await take({ pick: valueInShort(two!) });
    assert.equal(shown[0]?.title, "Fill in “topic” from");
    assert.deepEqual(shown[0].choices, [ofFile, valueInShort(two!), valueInShort(one!), "tea"]);
    assert.equal(shown[0].details?.at(-1), "Mine");
    assert.deepEqual(taken && "value" in taken && taken.value, two);
    assert.equal((await take("escape")).result, undefined);
  });

  async function file(name: string, content: string | Uint8Array): Promise<string> {
    const place = path.join(folder, name);
    await writeFile(place, content);
    return place;
  }

  it("gives a field a text file's content, without its byte order mark, and its size", async () => {
    const takeFile = async (name: string, content: string) =>
      (await take({ pick: ofFile }, { open: await file(name, content) })).result;
    assert.deepEqual(await takeFile("notes.txt", "\uFEFFGrüße"), {
      text: "Grüße",
      from: "notes.txt (10 bytes)",
    });
    assert.ok(await takeFile("largest.txt", "x".repeat(longestFile)));
    assert.deepEqual(await takeFile("empty.txt", ""), { text: "", from: "empty.txt (0 bytes)" });
    assert.equal((await take({ pick: ofFile }, "escape")).result, undefined);
  });

  it("refuses a file that is too large, isn't UTF-8 text, is a folder, a device or missing", async () => {
    const device = path.join(folder, "endless.txt");
    await symlink("/dev/zero", device);
    for (const place of [
      await file("large.txt", "x".repeat(1_200_000)),
      await file("latin.txt", Uint8Array.from([0x47, 0xfc])),
      await file("picture.bin", Uint8Array.from([0x50, 0, 0x4e])),
      folder,
      device,
      path.join(folder, "gone.txt"),
    ])
      await assert.rejects(
        take({ pick: ofFile }, { open: place }),
        (error) =>
          error instanceof UserError &&
          error.message ===
            `“${path.basename(place)}” can't be read, or is not a text file in UTF-8 of at most 1 MB.`,
      );
  });
});
