import assert from "node:assert/strict";
import { forgetCrewValues, moveCrewValues } from "../../../src/store/crew-values.ts";
import { formMemory } from "../../../src/kickoff/form/memory.ts";
import { type FormValues, keptValues } from "../../../src/kickoff/form/values.ts";
import { testDatabase } from "../../support/database.ts";
import { valuesOf } from "./support.ts";

const crew = "url:https://crew.test";
const first = "11111111-0000-4000-8000-000000000001";
const second = "11111111-0000-4000-8000-000000000002";
const valuesWith = (text: string) => valuesOf({ ["__proto__"]: text });

describe("Memory of the kickoff form", () => {
  let machine: ReturnType<typeof testDatabase>;
  let problems: string[];
  const openMemory = () => formMemory(machine.database, (message) => problems.push(message));
  /** The rows on disk, as kind and JSON. */
  const rows = () =>
    machine.database
      .all("SELECT kind, json FROM crew_values ORDER BY kind")
      .map(({ kind, json }) => [kind, json]);
  const write = (json: string) =>
    machine.database.run("INSERT OR REPLACE INTO crew_values VALUES ('form', ?, ?)", crew, json);
  /** Makes writes fail, as a full disk does. @returns a function that repairs it */
  const failing = () => {
    const run = () => {
      throw new Error("The disk is full.");
    };
    Object.assign(machine.database, { run });
    return () => Reflect.deleteProperty(machine.database, "run");
  };

  beforeEach(() => {
    machine = testDatabase();
    problems = [];
  });

  it("stores a draft for another window, and nothing for other crews", () => {
    const memory = openMemory();
    assert.deepEqual(memory.read(crew), {});
    for (const text of ["t", "typed"])
      memory.saveDraft(crew, { id: first, values: valuesWith(text) });
    assert.deepEqual(openMemory().read(crew), {
      draft: { id: first, values: valuesWith("typed") },
    });
    assert.deepEqual(openMemory().read("url:https://other.test"), {});
  });

  it("writes no secret of an address, and reads none that another version wrote", () => {
    const typed: FormValues = {
      ...valuesWith("typed"),
      taskWebhookUrl: "https://me:hush@a.test/t",
    };
    const memory = openMemory();
    memory.saveDraft(crew, { id: first, values: typed });
    const kept = keptValues(typed);
    assert.match(rows().join(), /a\.test\/t/);
    assert.doesNotMatch(rows().join(), /hush/);
    write(JSON.stringify({ draft: { id: first, values: typed }, last: typed }));
    assert.deepEqual(memory.read(crew), { draft: { id: first, values: kept }, last: kept });
    memory.sent(crew, { id: first, values: typed });
    assert.doesNotMatch(rows().join(), /hush/);
  });

  it("takes the values of a draft that version 0.1 stored as JSON from its fields", () => {
    const callbacks = { taskWebhookUrl: "https://a.test/t", humanInputWebhookUrl: "" };
    const streaming = { url: "https://a.test/s", events: "a", realtime: true, strategy: "none" };
    const humanInput = { strategy: "basic", username: "me" };
    const { inputs } = valuesWith("typed");
    const old = { inputs, meta: "", callbacks, humanInput, streaming };
    const json = '{"inputs": {"__proto__": "half typed';
    write(JSON.stringify({ draft: { id: first, values: { ...old, json }, isCut: true } }));
    const values = {
      ...valuesWith("typed"),
      ...{ taskWebhookUrl: "https://a.test/t", strategy: "basic", username: "me" },
      ...{ streamingUrl: "https://a.test/s", events: "a", realtime: "true" },
    };
    assert.deepEqual(openMemory().read(crew), { draft: { id: first, values } });
    assert.deepEqual(problems, []);
  });

  it("turns a sent draft into the last sent values, and leaves a newer draft alone", () => {
    const memory = openMemory();
    memory.saveDraft(crew, { id: first, values: valuesWith("a") });
    const from = { executionId: "e", taskId: "draft", title: "a", outputs: [] };
    memory.sent(crew, { id: first, values: { ...valuesWith("a"), from } });
    assert.deepEqual(memory.read(crew), { last: valuesWith("a") });
    memory.saveDraft(crew, { id: second, values: valuesWith("b") });
    memory.sent(crew, { id: first, values: valuesWith("c") });
    assert.deepEqual(memory.read(crew), {
      draft: { id: second, values: valuesWith("b") },
      last: valuesWith("c"),
    });
  });

  it("moves along with a crew's new address, without what a person allowed, and forgets a removed crew", () => {
    const memory = openMemory();
    memory.saveDraft(crew, { id: first, values: valuesWith("a") });
    for (const kind of ["callbacks", "answer hosts", "form, unreadable"])
      machine.database.run("INSERT INTO crew_values VALUES (?, ?, '[]')", kind, crew);
    moveCrewValues(machine.database, crew, "url:https://new.test");
    assert.deepEqual(memory.read(crew), {});
    assert.equal(memory.read("url:https://new.test").draft?.id, first);
    const kinds = rows().map(([kind]) => kind);
    assert.deepEqual(kinds, ["form", "form, unreadable"]);
    forgetCrewValues(machine.database, "url:https://new.test");
    assert.deepEqual(rows(), []);
  });

  it("sets invalid values aside, reports it once, and does not overwrite them", () => {
    const broken = '{"draft": {"id": 7}}';
    write(broken);
    const memory = openMemory();
    assert.deepEqual([memory.read(crew), memory.read(crew), memory.keeps(crew)], [{}, {}, true]);
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? "", /set aside/);
    memory.saveDraft(crew, { id: first, values: valuesWith("a") });
    assert.deepEqual(rows()[1], ["form, unreadable", broken]);
    assert.deepEqual(openMemory().read(crew).draft?.values, valuesWith("a"));
  });

  it("says that it can't write, reports it once, and writes again as soon as it can", () => {
    const memory = openMemory();
    memory.sent(crew, { id: second, values: valuesWith("sent") });
    const repair = failing();
    for (const text of ["a", "ab"]) memory.saveDraft(crew, { id: first, values: valuesWith(text) });
    assert.equal(memory.keeps(crew), false);
    assert.equal(problems.length, 1);
    repair();
    assert.deepEqual(openMemory().read(crew), { last: valuesWith("sent") });
    memory.saveDraft(crew, { id: first, values: valuesWith("abc") });
    assert.equal(memory.keeps(crew), true);
    assert.deepEqual(openMemory().read(crew), {
      draft: { id: first, values: valuesWith("abc") },
      last: valuesWith("sent"),
    });
  });
});
