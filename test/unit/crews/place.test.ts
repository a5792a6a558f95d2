import assert from "node:assert/strict";
import { callbacksAgain, crewAndPlace } from "../../../src/crews/place.ts";
import { anExecution } from "../views/executions.ts";

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
