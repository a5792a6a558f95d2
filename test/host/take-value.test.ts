import assert from "node:assert/strict";
import { rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { UserError } from "../../src/base/errors.ts";
import { openPresets } from "../../src/kickoff/form/forms.ts";
import { earlierValues, largestText, takeValue } from "../../src/kickoff/form/take-value.ts";
import { createFormTools } from "../../src/kickoff/form/tools.ts";
import { valueInShort } from "../../src/kickoff/texts.ts";
import type { Execution, ExecutionSummary } from "../../src/executions/model.ts";
import { temporaryFolder } from "../support/folders.ts";
import { anExecution } from "../unit/views/executions.ts";
import { withPerson, type Move } from "./scripted-person.ts";
import { viewParts } from "./view-parts.ts";

const ofFile = "$(file) Text File…";

describe("A value that a field of the kickoff form gets from another source", () => {
  let folder: string;

  before(() => void (folder = temporaryFolder("take")));

  after(() => rm(folder, { recursive: true }));

  async function take(...moves: readonly Move[]) {
    return await takeFrom([], ...moves);
  }

  async function takeFrom(executions: readonly ExecutionSummary[], ...moves: readonly Move[]) {
    const { result: taken, shown } = await withPerson(moves, () =>
      takeValue("topic", earlierValues(executions, anExecution().crew.id, "topic")),
    );
    return { taken, shown };
  }

  async function file(name: string, content: string | Uint8Array): Promise<string> {
    const place = path.join(folder, name);
    await writeFile(place, content);
    return place;
  }

  const refusal = (what: RegExp) => (error: unknown) =>
    error instanceof UserError && what.test(error.message);
  const ran = (topic: string, more: Partial<Execution> = {}) =>
    anExecution({ request: { inputs: { topic }, callbacks: {} }, ...more });

  it("can be an earlier execution's, whose title is shown only if that differs from the value; cancelling changes nothing", async () => {
    const executions = [ran("Sea otters", { label: "Mine" }), ran("tea"), ran("tea")];
    const { taken, shown } = await takeFrom(executions, { pick: "tea" });
    assert.deepEqual(taken, { value: "tea", from: "the execution “tea”" });
    assert.deepEqual(
      [shown[0]?.title, shown[0]?.choices, shown[0]?.details],
      ["Fill in “topic” from", [ofFile, "Sea otters", "tea"], ["", "Mine", ""]],
    );
    assert.equal((await takeFrom(executions, "escape")).taken, undefined);
  });

  it("is the whole value of an earlier execution, although lists hold only its start", async () => {
    const parts = viewParts();
    const crew = anExecution().crew;
    const values = ["one", "two"].map((end) => `${"Sea otters. ".repeat(100)}${end}`);
    const moves = [{ pick: valueInShort(values[0]!) }];
    try {
      for (const [at, topic] of values.entries())
        parts.store.add(
          anExecution({
            localId: topic.slice(-3),
            startedAt: `2026-10-21T12:0${at}:00.000Z`,
            request: { inputs: { topic }, callbacks: {} },
          }),
        );
      const presets = openPresets(parts.database);
      const tools = createFormTools({ get: () => crew }, parts.store, presets);
      const { result: taken, shown } = await withPerson(moves, () =>
        tools.takeValue(crew, "topic"),
      );
      assert.equal(shown[0]?.choices?.length, 3);
      assert.deepEqual(taken && "value" in taken && taken.value, values[1]);
    } finally {
      await parts.dispose();
    }
  });

  it("is a text file's content, without its byte order mark, with its size", async () => {
    const small = await file("notes.txt", "\uFEFFGrüße");
    assert.deepEqual((await take({ pick: ofFile }, { open: small })).taken, {
      text: "Grüße",
      from: "notes.txt (10 bytes)",
    });
    const largest = await file("largest.txt", "x".repeat(largestText));
    const { taken, shown } = await take({ pick: ofFile }, { open: largest });
    assert.equal(taken?.from, "largest.txt (1 MB)");
    assert.equal(shown[0]?.descriptions?.[0], "1 MB at most");
    assert.deepEqual((await take({ pick: ofFile }, { open: await file("empty.txt", "") })).taken, {
      text: "",
      from: "empty.txt (0 bytes)",
    });
    assert.equal((await take({ pick: ofFile }, "escape")).taken, undefined);
  });

  it("is refused with a reason if the file is too large, isn't UTF-8 text, is a folder or is missing", async () => {
    const refused = async (place: string, why: RegExp) =>
      assert.rejects(take({ pick: ofFile }, { open: place }), refusal(why));
    await refused(
      await file("large.txt", "x".repeat(1_200_000)),
      /^“large\.txt” is too large \(1\.2 MB\): an input takes 1 MB at most\.$/,
    );
    await refused(
      await file("latin.txt", Uint8Array.of(0x47, 0xfc)),
      /^“latin\.txt” isn't a text file/,
    );
    await refused(
      await file("picture.bin", Uint8Array.of(0x50, 0, 0x4e)),
      /^“picture\.bin” isn't a text file/,
    );
    await refused(folder, /is a folder/);
    const device = path.join(folder, "endless.txt");
    await symlink("/dev/zero", device);
    await refused(device, /^“endless\.txt” is not a regular file/);
    await refused(path.join(folder, "gone.txt"), /^“gone\.txt” can't be read: /);
  });
});
