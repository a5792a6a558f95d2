import assert from "node:assert/strict";
import { Emitter } from "../../../src/base/events.ts";
import { stateByCrew } from "../../../src/crews/state-by-crew.ts";
import {
  callbacksAgain,
  crewAndPlace,
  findCrew,
  idOfAddress,
  isSameName,
  isSameOrigin,
  readEntries,
  suggestName,
  uniqueName,
  watchArrivals,
  withCrew,
  withoutCrew,
} from "../../../src/crews/identity.ts";
import type { Crew } from "../../../src/crews/types.ts";
import { anExecution } from "../views/executions.ts";

describe("a crew's identity", () => {
  it("is its address", () => {
    assert.equal(idOfAddress("https://travel.example.com"), "url:https://travel.example.com");
  });

  it("shares a token only with the same scheme, host and port", () => {
    assert.ok(isSameOrigin("https://a.example.com/one", "https://a.example.com/two"));
    assert.ok(isSameOrigin("https://a.example.com", "https://A.example.com:443"));
    assert.ok(!isSameOrigin("https://a.example.com", "https://b.example.com"));
    assert.ok(!isSameOrigin("https://a.example.com", "https://a.example.com.evil.test"));
    assert.ok(!isSameOrigin("http://127.0.0.1:4000", "http://127.0.0.1:4001"));
    assert.ok(!isSameOrigin("https://localhost", "http://localhost"));
  });

  it("ignores case and spaces around its name", () => {
    assert.ok(isSameName(" Travel", "travel "));
    assert.ok(!isSameName("Travel", "Travels"));
  });

  it("is found by id, name or address, and by a name in another case if no crew has it exactly", () => {
    const crew = (name: string, url: string) => ({ id: idOfAddress(url), name, url });
    const crews = [
      crew("travel", "https://a.example.com"),
      crew("Travel", "https://b.example.com"),
      crew("https://d.example.com", "https://c.example.com"),
      crew("Research", "https://d.example.com"),
    ];
    for (const [text, index] of [
      ["url:https://b.example.com", 1],
      ["Travel", 1],
      ["TRAVEL", 0],
      [" research ", 3],
      ["https://d.example.com", 3],
      ["https://c.example.com/kickoff", 2],
      ["Nobody", -1],
      ["https://nowhere.example.com", -1],
    ] as const) {
      assert.equal(findCrew(crews, text), crews[index], text);
    }
  });

  it("makes a name unique with the first free number", () => {
    assert.equal(uniqueName("Travel", []), "Travel");
    assert.equal(uniqueName("travel", ["Travel"]), "travel 2");
    assert.equal(uniqueName("Travel", ["Travel", "TRAVEL 2"]), "Travel 3");
  });

  for (const [address, name] of [
    ["https://my-travel-crew.crewai.com", "My travel crew"],
    ["https://research.example.com/v1", "Research"],
    ["https://travel-12345678-1234-1234-1234-123456789-abcdef01.crewai.com", "Travel"],
    ["https://travel-planner-v1--abcdef01.crewai.com", "Travel planner v1"],
    ["https://abcdef01.crewai.com", "Abcdef01"],
    ["http://127.0.0.1:4100", "127.0.0.1:4100"],
    ["http://localhost:4100", "localhost:4100"],
    ["http://[::1]:4100", "[::1]:4100"],
    ["https://-.example.com", "-.example.com"],
    ["https://crews.example.com/home_energy", "Home energy"],
    ["https://127.0.0.1:4100/team/travel-planner", "Travel planner"],
    ["http://localhost:4100/api/", "localhost:4100"],
    ["https://research.example.com/~ada", "Research"],
  ] as const) {
    it(`suggests “${name}” for ${address}`, () => {
      assert.equal(suggestName(address), name);
    });
  }
});

const deployed: Crew = { id: "url:https://a.test", name: "A", url: "https://a.test" };
const local = (running: boolean, port = 1): Crew => ({
  id: "local:x",
  name: "X",
  url: `http://127.0.0.1:${port}`,
  local: { folder: "file:///x", engine: "rehearsal", running },
});

describe("A crew's arrival", () => {
  it("is reported when it is connected, started or moved, and only then", () => {
    let crews: readonly Crew[] = [local(false)];
    const changes = new Emitter<void>((error) => assert.fail(String(error)));
    const arrived: string[] = [];
    const watch = watchArrivals({ list: () => crews, onDidChange: changes.event }, (id) =>
      arrived.push(id),
    );
    const become = (...next: Crew[]) => {
      crews = next;
      changes.fire();
      return arrived.splice(0);
    };
    assert.deepEqual(become(local(false), deployed), ["url:https://a.test"]);
    assert.deepEqual(become(local(true), deployed), ["local:x"]);
    assert.deepEqual(become(local(true), { ...deployed, name: "Renamed" }), []);
    assert.deepEqual(become(local(true, 2), deployed), ["local:x"]);
    assert.deepEqual(become(local(false, 2)), []);
    assert.deepEqual(become(local(true, 2), deployed), ["local:x", "url:https://a.test"]);
    watch.dispose();
    assert.deepEqual(become(deployed, local(true, 3)), []);
  });
});

describe("where feedback goes", () => {
  it("is the crew and its host, with its port, and the path by which crews of one server differ", () => {
    const shown = (url: string) => crewAndPlace({ crew: { id: "url:x", name: "Writers", url } });
    assert.equal(shown("https://crew.test:8443"), "“Writers” (crew.test:8443)");
    assert.equal(shown("https://crew.test/one"), "“Writers” (crew.test/one)");
  });

  it("names each callback that is sent again by its host alone, never by its path", () => {
    const callbacks = {
      taskWebhookUrl: "https://hooks.test/secret-path",
      crewWebhookUrl: "http://127.0.0.1:9000/x",
      stepWebhookUrl: "",
      humanInputWebhookUrl: "https://people.test/h?k=1",
      webhooks: { url: "https://events.test/e", events: ["task_started"] },
    };
    assert.deepEqual(callbacksAgain(anExecution({ request: { inputs: {}, callbacks } })), [
      "task → hooks.test",
      "crew → 127.0.0.1:9000",
      "human input → people.test",
      "events → events.test",
    ]);
    assert.deepEqual(callbacksAgain(anExecution()), []);
  });
});

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
