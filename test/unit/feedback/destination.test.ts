import assert from "node:assert/strict";
import { callbacksAgain, crewAndHost } from "../../../src/feedback/target.ts";
import { anExecution } from "../views/executions.ts";

describe("where feedback goes", () => {
  it("is the crew and its host, with its port", () => {
    assert.equal(
      crewAndHost({ crew: { id: "url:x", name: "Writers", url: "https://crew.test:8443/base" } }),
      "“Writers” (crew.test:8443)",
    );
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
