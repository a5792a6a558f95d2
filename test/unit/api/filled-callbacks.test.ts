import assert from "node:assert/strict";
import { filledCallbacks } from "../../../src/api/filled-callbacks.ts";
import type { KickoffRequest } from "../../../src/api/types.ts";

const address = { url: "http://127.0.0.1:7000/secret", token: "token-1" };

describe("Crewdeck's callback addresses", () => {
  it("fill all callbacks of a request, and the event stream gets a secret", () => {
    const { webhooks, ...rest } = filledCallbacks<KickoffRequest>({ inputs: { a: 1 } }, address);
    assert.deepEqual(rest, {
      inputs: { a: 1 },
      taskWebhookUrl: address.url,
      stepWebhookUrl: address.url,
      crewWebhookUrl: address.url,
      humanInputWebhookUrl: address.url,
    });
    const { events = [], ...stream } = webhooks ?? {};
    assert.deepEqual(stream, {
      url: address.url,
      realtime: false,
      authentication: { strategy: "bearer", token: "token-1" },
    });
    for (const type of ["task_started", "llm_call_completed", "human_feedback_requested"])
      assert.ok(events.includes(type), type);
    assert.ok(!events.some((type) => /chunk/.test(type)), "parts of texts come by the thousand");
  });

  it("never replace what a person typed; an empty address is none", () => {
    const typed: KickoffRequest = {
      inputs: {},
      taskWebhookUrl: "https://a.test/t",
      stepWebhookUrl: "",
      humanInputWebhook: { url: "https://a.test/h" },
      webhooks: { events: ["x"], url: "https://a.test/e" },
    };
    assert.deepEqual(filledCallbacks(typed, address), {
      ...typed,
      stepWebhookUrl: address.url,
      crewWebhookUrl: address.url,
    });
    const plain = { inputs: {}, humanInputWebhookUrl: "https://a.test/h" };
    const filled = filledCallbacks<KickoffRequest>(plain, address);
    assert.equal(filled.humanInputWebhookUrl, "https://a.test/h");
  });
});
