import assert from "node:assert/strict";
import { Presets } from "../../../../src/kickoff/presets/presets.ts";
import { testDatabase } from "../../../support/database.ts";

const crew = "url:https://crew.test";
const moved = "url:https://new.test";

describe("Presets of a crew", () => {
  let machine: ReturnType<typeof testDatabase>;
  let unreadable: string[];
  const open = (database = machine.database) =>
    new Presets(database, (_, crewId) => unreadable.push(crewId));
  const names = (crewId = crew) =>
    open()
      .list(crewId)
      .map(({ name }) => name);
  const rows = () =>
    machine.database
      .all("SELECT kind, json FROM crew_values ORDER BY kind")
      .map(({ kind, json }) => [kind, json]);

  beforeEach(() => {
    machine = testDatabase();
    unreadable = [];
  });

  afterEach(() => machine.end());

  it("are saved by name, in the order of their names, for every window", () => {
    const other = testDatabase(machine.folder);
    open(other.database).save(crew, "Oslo", { inputs: { city: "Oslo", ["__proto__"]: [null] } });
    open().save(crew, "Bergen", {
      inputs: { city: "Bergen" },
      meta: { a: 1 },
      crewWebhookUrl: "https://h.test",
    });
    other.end();
    assert.deepEqual(open().list(crew), [
      {
        name: "Bergen",
        values: { inputs: { city: "Bergen" }, meta: { a: 1 }, crewWebhookUrl: "https://h.test" },
      },
      { name: "Oslo", values: { inputs: { city: "Oslo", ["__proto__"]: [null] } } },
    ]);
    assert.deepEqual(names(moved), []);
  });

  it("are saved again, renamed and deleted", () => {
    const presets = open();
    presets.save(crew, "a", { inputs: { n: 1 } });
    presets.save(crew, "a", { inputs: { n: 2 } });
    presets.rename(crew, "a", "b");
    assert.deepEqual(presets.list(crew), [{ name: "b", values: { inputs: { n: 2 } } }]);
    presets.rename(crew, "gone", "c");
    presets.delete(crew, "b");
    assert.deepEqual(presets.list(crew), []);
    assert.deepEqual(rows(), [], "nothing is left of a crew without presets");
  });

  it("hold no secret, whatever they are given", () => {
    const values = {
      inputs: {},
      humanInputWebhook: {
        url: "https://h.test",
        authentication: { strategy: "bearer" as const, token: "hush" },
      },
    };
    open().save(crew, "a", values);
    assert.doesNotMatch(rows().join(), /hush/);
    assert.deepEqual(open().list(crew)[0]?.values, {
      inputs: {},
      humanInputWebhook: { url: "https://h.test", authentication: { strategy: "bearer" } },
    });
  });

  it("move to a crew's new address, and are removed with the crew", () => {
    const presets = open();
    presets.save(crew, "a", { inputs: { from: "old" } });
    presets.save(moved, "a", { inputs: {} });
    presets.save(moved, "b", { inputs: {} });
    presets.move(crew, moved);
    assert.deepEqual(names(), []);
    assert.deepEqual(presets.list(moved), [
      { name: "a", values: { inputs: { from: "old" } } },
      { name: "b", values: { inputs: {} } },
    ]);
    presets.forget(moved);
    assert.deepEqual(rows(), []);
  });

  for (const [what, json] of [
    ["cut short", '[{"name": "a"'],
    ["of another shape", '[{"name": "a", "values": {"inputs": []}}]'],
  ] as const) {
    it(`are set aside and reported if what is stored is ${what}, and can be saved again`, () => {
      machine.database.run("INSERT INTO crew_values VALUES ('presets', ?, ?)", crew, json);
      assert.deepEqual([names(), names()], [[], []]);
      assert.deepEqual(unreadable, [crew]);
      open().save(crew, "b", { inputs: {} });
      assert.deepEqual(names(), ["b"]);
      assert.deepEqual(rows()[1], ["presets, unreadable", json]);
    });
  }
});
