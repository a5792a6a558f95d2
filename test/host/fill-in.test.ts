import assert from "node:assert/strict";
import { rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { NothingToDo, UserError } from "../../src/base/errors.ts";
import type { Crew } from "../../src/crews/types.ts";
import type { Execution } from "../../src/executions/model.ts";
import { CallbackConsent } from "../../src/kickoff/callback-consent.ts";
import type { Prefill } from "../../src/kickoff/callbacks.ts";
import { openKept } from "../../src/kickoff/form/forms.ts";
import {
  fillForm,
  type FillInParts,
  largestText,
  saveValues,
  takeValue,
} from "../../src/kickoff/form/fill-in.ts";
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
      consent: new CallbackConsent(database),
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
    await parts.kept.save(crew.id, "large", { inputs: {} });
    const [file] = await parts.kept.list();
    await writeFile(file!.path, `{"crew": "${crew.id}", "label": "large", "inputs": []}`);
    await assert.rejects(fillIn({ pick: "large" }), /“inputs” must be an object/);
  });

  it("opens and deletes saved values with a row's buttons", async () => {
    for (const name of ["a", "b"]) await parts.kept.save(crew.id, name, { inputs: {} });
    await fillIn(
      { press: "Delete", on: "a" },
      "escape",
      { press: "Delete", on: "a" },
      { press: "Delete" },
      { press: "Open File", on: "b" },
    );
    assert.deepEqual(await saved(), [["b", { inputs: {} }]]);
    assert.match(vscode.window.activeTextEditor?.document.getText() ?? "", /"label": "b"/);
  });

  const take = (...moves: readonly Move[]) =>
    withPerson(moves, () => takeValue(parts.store, crew.id, "topic"));

  it("gives a field the whole value of an earlier execution, each once, with a title that differs from it", async () => {
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

  it("gives a field a text file's content, without its byte order mark, with its size", async () => {
    const small = await file("notes.txt", "\uFEFFGrüße");
    const takeFile = (move: Move) => take({ pick: ofFile }, move);
    const { result: read } = await takeFile({ open: small });
    assert.deepEqual(read, { text: "Grüße", from: "notes.txt (10 bytes)" });
    const largest = await file("largest.txt", "x".repeat(largestText));
    const { result: taken, shown } = await takeFile({ open: largest });
    assert.equal(taken?.from, "largest.txt (1 MB)");
    assert.equal(shown[0]?.descriptions?.[0], "1 MB at most");
    const { result: empty } = await takeFile({ open: await file("empty.txt", "") });
    assert.deepEqual(empty, { text: "", from: "empty.txt (0 bytes)" });
    assert.equal((await takeFile("escape")).result, undefined);
  });

  it("refuses with a reason a file that is too large, isn't UTF-8 text, is a folder or is missing", async () => {
    const refused = async (place: string, why: RegExp) =>
      assert.rejects(
        take({ pick: ofFile }, { open: place }),
        (error) => error instanceof UserError && why.test(error.message),
      );
    await refused(
      await file("large.txt", "x".repeat(1_200_000)),
      /^“large\.txt” is too large \(1\.2 MB\): an input takes 1 MB at most\.$/,
    );
    const bytes = { "latin.txt": [0x47, 0xfc], "picture.bin": [0x50, 0, 0x4e] };
    for (const [name, content] of Object.entries(bytes))
      await refused(await file(name, Uint8Array.from(content)), /^“\w+\.\w+” isn't a text file/);
    await refused(folder, /is not a regular file/);
    const device = path.join(folder, "endless.txt");
    await symlink("/dev/zero", device);
    await refused(device, /^“endless\.txt” is not a regular file/);
    await refused(path.join(folder, "gone.txt"), /^“gone\.txt” can't be read: /);
  });
});
