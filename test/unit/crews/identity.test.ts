import assert from "node:assert/strict";
import { Emitter } from "../../../src/base/events.ts";
import {
  callbacksAgain,
  crewAndPlace,
  findCrew,
  idOfAddress,
  isSameName,
  isSameOrigin,
  suggestName,
  uniqueName,
  watchArrivals,
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
