import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CrewFileProblem } from "../../../../src/kickoff/crew-files.ts";
import { Presets } from "../../../../src/kickoff/presets/presets.ts";

const crew = "url:https://crew.test";
const moved = "url:https://new.test";

describe("Presets of a crew", () => {
  let folder: string;
  let problems: CrewFileProblem[];
  const open = () =>
    new Presets({
      folder: join(folder, "presets"),
      onProblem: (problem) => problems.push(problem),
    });
  const names = async (crewId = crew) => (await open().list(crewId)).map(({ name }) => name);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "crewdeck-presets-"));
    problems = [];
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it("are saved by name, in the order of their names, for every window", async () => {
    const presets = open();
    await Promise.all([
      presets.save(crew, "Oslo", { inputs: { city: "Oslo", ["__proto__"]: [null] } }),
      presets.save(crew, "Bergen", {
        inputs: { city: "Bergen" },
        meta: { a: 1 },
        crewWebhookUrl: "https://h.test",
      }),
    ]);
    assert.deepEqual(await open().list(crew), [
      {
        name: "Bergen",
        values: { inputs: { city: "Bergen" }, meta: { a: 1 }, crewWebhookUrl: "https://h.test" },
      },
      { name: "Oslo", values: { inputs: { city: "Oslo", ["__proto__"]: [null] } } },
    ]);
    assert.deepEqual(await names(moved), []);
  });

  it("are saved again, renamed and deleted", async () => {
    const presets = open();
    await presets.save(crew, "a", { inputs: { n: 1 } });
    await presets.save(crew, "a", { inputs: { n: 2 } });
    await presets.rename(crew, "a", "b");
    assert.deepEqual(await presets.list(crew), [{ name: "b", values: { inputs: { n: 2 } } }]);
    await presets.rename(crew, "gone", "c");
    await presets.delete(crew, "b");
    assert.deepEqual(await presets.list(crew), []);
    assert.deepEqual(
      await readdir(join(folder, "presets")),
      [],
      "nothing is left of a crew without presets",
    );
  });

  it("hold no secret, whatever is handed to them", async () => {
    const values = {
      inputs: {},
      humanInputWebhook: {
        url: "https://h.test",
        authentication: { strategy: "bearer" as const, token: "hush" },
      },
    };
    await open().save(crew, "a", values);
    const [file] = await readdir(join(folder, "presets"));
    assert.doesNotMatch(await readFile(join(folder, "presets", file!), "utf8"), /hush/);
    assert.deepEqual((await open().list(crew))[0]?.values, {
      inputs: {},
      humanInputWebhook: { url: "https://h.test", authentication: { strategy: "bearer" } },
    });
  });

  it("move along with a crew's new address, and go with the crew", async () => {
    const presets = open();
    await presets.save(crew, "a", { inputs: { from: "old" } });
    await presets.save(moved, "a", { inputs: {} });
    await presets.save(moved, "b", { inputs: {} });
    await presets.move(crew, moved);
    assert.deepEqual(await names(), []);
    assert.deepEqual(await presets.list(moved), [
      { name: "a", values: { inputs: { from: "old" } } },
      { name: "b", values: { inputs: {} } },
    ]);
    await presets.forget(moved);
    assert.deepEqual(await readdir(join(folder, "presets")), []);
  });

  for (const [what, text] of [
    ["cut short", '{"version": 1, "crew"'],
    ["of a version to come", '{"version": 2, "crew": "x", "presets": []}'],
    [
      "of another shape",
      '{"version": 1, "crew": "x", "presets": [{"name": "a", "values": {"inputs": []}}]}',
    ],
  ] as const) {
    it(`are set aside and told where their file is ${what}, and can be saved again`, async () => {
      await open().save(crew, "a", { inputs: {} });
      const [file] = await readdir(join(folder, "presets"));
      await writeFile(join(folder, "presets", file!), text);
      assert.deepEqual(await names(), []);
      assert.deepEqual(problems, [
        { kind: "setAside", path: join(folder, "presets", `${file!}.corrupt`) },
      ]);
      assert.equal(await readFile(join(folder, "presets", `${file!}.corrupt`), "utf8"), text);
      assert.equal(await open().save(crew, "b", { inputs: {} }), true);
      assert.deepEqual(await names(), ["b"]);
    });
  }

  it("tell that they can't be kept", async () => {
    await writeFile(join(folder, "presets"), "a file where the folder should be");
    assert.equal(await open().save(crew, "a", { inputs: {} }), false);
    assert.deepEqual(problems, [{ kind: "notKept" }]);
  });
});
