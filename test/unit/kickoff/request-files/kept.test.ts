import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { keptRequests } from "../../../../src/kickoff/request-files/kept.ts";
import { testDatabase } from "../../../support/database.ts";

const crew = "url:https://crew.test";
const moved = "url:https://new.test";

describe("Request files that are kept on this machine", () => {
  let machine: ReturnType<typeof testDatabase>;
  let unreadable: string[];
  const open = () =>
    keptRequests(machine.database, machine.folder, (_, crewId) => unreadable.push(crewId));
  const listed = async () =>
    (await open().list()).map(({ crew, label, values }) => ({ crew, label, values }));
  const keepPresets = (crewId: string, json: string) =>
    machine.database.run("INSERT INTO crew_values VALUES ('presets', ?, ?)", crewId, json);
  const filesIn = async () => {
    const folder = path.join(machine.folder, "requests");
    return (await readdir(folder)).map((name) => path.join(folder, name));
  };

  beforeEach(() => {
    machine = testDatabase();
    unreadable = [];
  });

  it("are listed by name; the same name of a crew replaces its values", async () => {
    assert.deepEqual(await listed(), []);
    const oslo = { inputs: { city: "Oslo", ["__proto__"]: [null] }, meta: { a: 1 } };
    await open().save(crew, "Oslo / north", { inputs: {} });
    await open().save(moved, "Oslo / north", { inputs: {} });
    await open().save(crew, "Oslo / north", oslo);
    await open().save(crew, "Bergen", { inputs: {}, crewWebhookUrl: "https://h.test" });
    const mine = (await listed()).filter((file) => file.crew === crew);
    assert.deepEqual(mine, [
      { crew, label: "Bergen", values: { inputs: {}, crewWebhookUrl: "https://h.test" } },
      { crew, label: "Oslo / north", values: oslo },
    ]);
    assert.equal((await filesIn()).length, 3);
  });

  it("hold no secret, and one that is cut short is not in the way of the others", async () => {
    const authentication = { strategy: "bearer" as const, token: "hush" };
    const humanInputWebhook = { url: "https://h.test", authentication };
    await open().save(crew, "a", { inputs: {}, humanInputWebhook });
    const [file = ""] = await filesIn();
    const text = await readFile(file, "utf8");
    assert.doesNotMatch(text, /hush/);
    await open().save(crew, "b", { inputs: {} });
    await writeFile(file, text.slice(0, 9));
    const labels = (await listed()).flatMap(({ label }) => label ?? []);
    assert.deepEqual(labels, ["b"]);
  });

  it("move to a crew's new address", async () => {
    await open().save(crew, "a", { inputs: { from: "old" } });
    await open().save("url:https://other.test", "b", { inputs: {} });
    await open().move(crew, moved);
    const files = (await listed()).map((file) => [file.crew, file.label]);
    assert.deepEqual(files, [
      [moved, "a"],
      ["url:https://other.test", "b"],
    ]);
  });

  it("take the place of the presets that version 0.1 stored", async () => {
    const values = { inputs: { city: "Oslo" }, webhooks: { events: ["a"], url: "https://h.test" } };
    const presets = [
      { name: "North", values },
      { name: "Empty", values: { inputs: {} } },
    ];
    keepPresets(crew, JSON.stringify(presets));
    const broken = '[{"name": "a", "values": {"inputs": []}}]';
    keepPresets(moved, broken);
    for (const time of ["first", "second"])
      assert.deepEqual(
        await listed(),
        [
          { crew, label: "Empty", values: { inputs: {} } },
          {
            crew,
            label: "North",
            values: { ...values, webhooks: { ...values.webhooks, realtime: false } },
          },
        ],
        time,
      );
    assert.deepEqual(unreadable, [moved]);
    const rows = machine.database.all("SELECT kind, json FROM crew_values");
    const rest = rows.map(({ kind, json }) => [kind, json]);
    assert.deepEqual(rest, [["presets, unreadable", broken]]);
  });

  it("take the place of presets once, even if two windows take them over at the same time", async () => {
    const presets = ["a", "b"].map((name) => ({ name, values: { inputs: { name } } }));
    keepPresets(crew, JSON.stringify(presets));
    const { database } = testDatabase(machine.folder);
    const there = keptRequests(database, machine.folder, () => assert.fail());
    await Promise.all([open().list(), there.list(), open().list()]);
    const before = (await listed()).map(({ label }) => label);
    assert.deepEqual(before, ["a", "b"]);
  });

  it("are deleted with their crew", async () => {
    keepPresets(crew, JSON.stringify([{ name: "old", values: { inputs: {} } }]));
    for (const name of ["a", "b"]) await open().save(crew, name, { inputs: {} });
    await open().save(moved, "c", { inputs: {} });
    await open().forget(crew);
    const after = (await listed()).map(({ label }) => label);
    assert.deepEqual(after, ["c"]);
  });
});
