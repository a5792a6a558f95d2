import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keptValues } from "../../../src/kickoff/kept-values.ts";
import { FormMemory } from "../../../src/kickoff/memory.ts";
import { initialValues, type FormValues } from "../../../src/kickoff/values.ts";

const crew = "url:https://crew.test";
const first = "11111111-0000-4000-8000-000000000001";
const second = "11111111-0000-4000-8000-000000000002";
const valuesWith = (text: string): FormValues => ({
  ...initialValues([]),
  inputs: [{ name: "__proto__", mode: "text", text }],
});

describe("Memory of the kickoff form", () => {
  let folder: string;
  let problems: string[];
  const openMemory = () =>
    new FormMemory({
      folder: join(folder, "kickoff"),
      onProblem: (message) => problems.push(message),
    });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "crewdeck-form-"));
    problems = [];
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it("keeps a draft for another window, and knows nothing of other crews", async () => {
    const memory = openMemory();
    assert.deepEqual(await memory.read(crew), {});
    await memory.saveDraft(crew, { id: first, values: valuesWith("typed") });
    assert.deepEqual(await openMemory().read(crew), {
      draft: { id: first, values: valuesWith("typed") },
    });
    assert.deepEqual(await openMemory().read("url:https://other.test"), {});
  });

  it("keeps what was typed last, however quickly it was typed", async () => {
    const memory = openMemory();
    for (let count = 1; count <= 20; count++)
      void memory.saveDraft(crew, { id: first, values: valuesWith(`typed ${count}`) });
    assert.deepEqual((await memory.read(crew)).draft?.values, valuesWith("typed 20"));
    assert.equal((await readdir(join(folder, "kickoff"))).length, 1, "nothing unfinished stays");
  });

  for (const [what, cut, json] of [
    [
      "can be read",
      {},
      '{"inputs": {}, "humanInputWebhook": {"url": "https://a.test/h", "authentication": {"strategy": "bearer", "token": "hush"}}}',
    ],
    [
      "can't be read yet",
      { isCut: true as const },
      '{"inputs": {}, "humanInputWebhook": {"authentication": {"strategy": "basic", "password": "hush',
    ],
  ] as const) {
    it(`writes no secret to disk that a page's JSON text holds, where that ${what}, and reads none that another version wrote`, async () => {
      const typed: FormValues = {
        ...valuesWith("typed"),
        callbacks: { ...valuesWith("").callbacks, taskWebhookUrl: "https://me:hush@a.test/t" },
        json,
      };
      const memory = openMemory();
      await memory.saveDraft(crew, { id: first, values: typed });
      const kept = keptValues(typed);
      const [name] = await readdir(join(folder, "kickoff"));
      const path = join(folder, "kickoff", name!);
      const written = await readFile(path, "utf8");
      assert.match(written, /a\.test\/t/);
      assert.doesNotMatch(written, /hush/);
      await writeFile(
        path,
        JSON.stringify({ version: 1, crew, draft: { id: first, values: typed }, last: typed }),
      );
      assert.deepEqual(await memory.read(crew), {
        draft: { id: first, values: kept, ...cut },
        last: kept,
      });
      await memory.sent(crew, { id: first, values: typed });
      assert.doesNotMatch(await readFile(path, "utf8"), /hush/);
    });
  }

  it("turns a sent draft into the values sent last, and leaves a newer draft alone", async () => {
    const memory = openMemory();
    await memory.saveDraft(crew, { id: first, values: valuesWith("a") });
    await memory.sent(crew, { id: first, values: valuesWith("a") });
    assert.deepEqual(await memory.read(crew), { last: valuesWith("a") });
    await memory.saveDraft(crew, { id: second, values: valuesWith("b") });
    await memory.sent(crew, { id: first, values: valuesWith("c") });
    assert.deepEqual(await memory.read(crew), {
      draft: { id: second, values: valuesWith("b") },
      last: valuesWith("c"),
    });
    await memory.dropDraft(crew, first);
    assert.equal((await memory.read(crew)).draft?.id, second);
    await memory.dropDraft(crew, second);
    assert.deepEqual(await memory.read(crew), { last: valuesWith("c") });
  });

  it("moves along with a crew's new address, and forgets a removed crew", async () => {
    const memory = openMemory();
    await memory.saveDraft(crew, { id: first, values: valuesWith("a") });
    await memory.move(crew, "url:https://new.test");
    assert.deepEqual(await memory.read(crew), {});
    assert.equal((await memory.read("url:https://new.test")).draft?.id, first);
    await memory.forget("url:https://new.test");
    assert.deepEqual(await readdir(join(folder, "kickoff")), []);
  });

  it("sets a file aside that it can't understand, and tells", async () => {
    const memory = openMemory();
    await memory.saveDraft(crew, { id: first, values: valuesWith("a") });
    const [file] = await readdir(join(folder, "kickoff"));
    await writeFile(join(folder, "kickoff", file!), '{"version": 1, "crew"');
    assert.deepEqual(await memory.read(crew), {});
    assert.equal(problems.length, 1);
    assert.match(problems[0]!, /set aside/);
    assert.deepEqual(await readdir(join(folder, "kickoff")), [`${file!}.corrupt`]);
  });

  it("holds what it can't write, also where the crew's address changes, tells it once, and writes it as soon as it can", async () => {
    const place = join(folder, "kickoff");
    await writeFile(place, "a file where the folder should be");
    const memory = openMemory();
    assert.deepEqual([await memory.read(crew), memory.keeps(crew)], [{}, false]);
    for (const text of ["a", "ab"])
      await memory.saveDraft(crew, { id: first, values: valuesWith(text) });
    assert.deepEqual(await memory.read(crew), { draft: { id: first, values: valuesWith("ab") } });
    assert.equal(problems.length, 1);
    await memory.move(crew, "url:https://new.test");
    assert.deepEqual((await memory.read("url:https://new.test")).draft?.values, valuesWith("ab"));
    await rm(place);
    await memory.saveDraft(crew, { id: first, values: valuesWith("abc") });
    assert.equal(memory.keeps(crew), true);
    assert.deepEqual((await openMemory().read(crew)).draft?.values, valuesWith("abc"));
  });

  it("opens without a file that it can neither understand nor set aside, tells it once, and leaves it as it is", async () => {
    const place = join(folder, "kickoff");
    await openMemory().saveDraft(crew, { id: first, values: valuesWith("a") });
    const [file] = await readdir(place);
    await writeFile(join(place, file!), '{"version": 1, "crew"');
    await mkdir(join(place, `${file!}.corrupt`));
    const memory = openMemory();
    assert.deepEqual([await memory.read(crew), memory.keeps(crew)], [{}, false]);
    await memory.saveDraft(crew, { id: second, values: valuesWith("b") });
    await memory.sent(crew, { id: second, values: valuesWith("b") });
    assert.deepEqual(await memory.read(crew), { last: valuesWith("b") });
    assert.equal(await readFile(join(place, file!), "utf8"), '{"version": 1, "crew"');
    assert.equal(problems.length, 1);
    await memory.move(crew, "url:https://new.test");
    assert.ok((await readdir(place)).includes(file!), "it may hold more");
  });

  it("writes nothing over a file that it can't read just now", async () => {
    const place = join(folder, "kickoff");
    await openMemory().saveDraft(crew, { id: first, values: valuesWith("a") });
    const [file] = await readdir(place);
    await rm(join(place, file!));
    await mkdir(join(place, file!));
    const memory = openMemory();
    await memory.saveDraft(crew, { id: second, values: valuesWith("b") });
    assert.deepEqual(
      [await memory.read(crew), memory.keeps(crew)],
      [{ draft: { id: second, values: valuesWith("b") } }, false],
    );
    await memory.forget(crew);
    assert.deepEqual(await memory.read(crew), {}, "what was to be deleted is not held");
  });
});
