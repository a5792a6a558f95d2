import assert from "node:assert/strict";
import { isOverwritten, readEntries, withCrew, withoutCrew } from "../../../src/crews/entries.ts";
import { stateByCrew } from "../../../src/crews/state-by-crew.ts";

const entry = (name: string) => ({ name, url: `https://${name.toLowerCase()}.example.com` });
const crewOf = (name: string) => ({ id: `url:${entry(name).url}`, ...entry(name) });
const travel = crewOf("Travel");

describe("the setting crewdeck.crews", () => {
  it("is an empty list when it is not set", () => {
    assert.deepEqual(readEntries(undefined), { crews: [], problems: [] });
  });

  it("gives crews with a normalised address and a trimmed name", () => {
    const dashboardUrl = "https://dash.example.com/7";
    const written = { name: " Travel ", url: " https://travel.example.com/kickoff ", dashboardUrl };
    const crews = [{ ...travel, dashboardUrl }];
    assert.deepEqual(readEntries([written]), { crews, problems: [] });
  });

  it("ignores malformed entries and keeps the others", () => {
    const { crews, problems } = readEntries([
      "https://travel.example.com",
      { name: "No address" },
      { url: "https://nameless.example.com" },
      { name: "Plain", url: "http://plain.example.com" },
      entry("Travel"),
      null,
    ]);
    assert.deepEqual(crews, [travel]);
    assert.deepEqual(
      problems.map((problem) => /^Entry (\d) .* was ignored: it needs a name/.exec(problem)?.[1]),
      ["1", "2", "3", "4", "6"],
    );
    assert.match(problems[3] ?? "", /https/);
  });

  it("is reported if it isn't a list, and nothing is connected", () => {
    const { crews, problems } = readEntries({ name: "Travel" });
    assert.deepEqual(crews, []);
    assert.match(problems.join(), /must be a list of crews/);
  });

  it("connects a crew with a bad dashboard address without it", () => {
    const { crews, problems } = readEntries([{ ...travel, dashboardUrl: "javascript:alert(1)" }]);
    assert.deepEqual(crews, [travel]);
    assert.deepEqual(problems, []);
  });

  it("connects an address once, and makes names unique", () => {
    const { crews, problems } = readEntries([
      travel,
      { name: "Again", url: "https://travel.example.com/" },
      { name: "travel", url: "https://other.example.com" },
    ]);
    const names = crews.map(({ name }) => name);
    assert.deepEqual(names, ["Travel", "travel 2"]);
    assert.match(problems.join(), /^Entry 2 .* was ignored/);
  });
});

describe("writing the setting crewdeck.crews", () => {
  const broken = { name: "Half typed" };

  it("adds at the end and keeps malformed entries", () => {
    assert.deepEqual(withCrew([broken], travel.id, travel), [broken, entry("Travel")]);
  });

  it("replaces an entry in place, in whatever form its address is", () => {
    const old = { name: "Old", url: "https://travel.example.com/inputs", note: "mine" };
    const entries = [{ ...old, dashboardUrl: "https://dash.example.com" }, broken];
    const written = [{ note: "mine", ...entry("Travel") }, broken];
    assert.deepEqual(withCrew(entries, travel.id, travel), written);
  });

  it("writes the new address in the place of the old one", () => {
    const moved = { ...entry("New"), name: "Travel", dashboardUrl: "https://dash.example.com" };
    const crew = { id: "url:https://new.example.com", ...moved };
    assert.deepEqual(withCrew([entry("Travel")], travel.id, crew), [moved]);
  });

  it("removes a crew with its duplicates, and nothing else", () => {
    const twice = { name: "Twice", url: `${travel.url}/` };
    const entries = [entry("Travel"), broken, twice, entry("Other")];
    assert.deepEqual(withoutCrew(entries, travel.id), [broken, entry("Other")]);
  });
});

describe("a crew that two windows write", () => {
  const added = { crew: crewOf("Ours"), ids: ["Old", "Ours"].map((name) => crewOf(name).id) };
  const isLost = (...now: readonly string[]) =>
    isOverwritten(
      added,
      now.map((name) => crewOf(name).id),
    );

  it("is lost if another one was added and it is missing", () =>
    assert.ok(isLost("Old", "Theirs")));
  it("is not lost if both are there", () => assert.ok(!isLost("Old", "Ours", "Theirs")));
  it("was removed by a person if none was added", () => {
    assert.ok(!isLost("Old") && !isLost());
  });
});

describe("invalid global state", () => {
  it("is read as none, and overwritten", async () => {
    for (const kept of [null, 5, "text", [], { "url:a": 5 }]) {
      const state = new Map<string, unknown>([["crewdeck.stopRoutes", kept]]);
      const memento = {
        keys: () => [...state.keys()],
        get: (key: string) => state.get(key),
        update: (key: string, value: unknown) => Promise.resolve(void state.set(key, value)),
      };
      const routes = stateByCrew(memento, "crewdeck.stopRoutes", (route) => route !== false);
      assert.equal(routes.read("url:a"), true);
      await routes.write("url:a", false);
      assert.equal(routes.read("url:a"), false);
    }
  });
});
