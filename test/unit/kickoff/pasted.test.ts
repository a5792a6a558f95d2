import assert from "node:assert/strict";
import { readPasted } from "../../../src/kickoff/form/pasted.ts";

const human = (authentication: object) => ({
  humanInputWebhook: { url: "https://a.test/h", authentication },
});

describe("A pasted text", () => {
  it("is a kickoff's body with its secrets, each for its own callback", () => {
    const webhooks = { url: "https://b.test/e", events: ["a"], realtime: true };
    const body = {
      inputs: { topic: "tea", token: "an input" },
      meta: null,
      ...human({ strategy: "basic", username: "me", password: "hush-1" }),
      webhooks: { ...webhooks, authentication: { strategy: "bearer", token: "hush-2" } },
      restoreFromStateId: "k0",
    };
    assert.deepEqual(readPasted(JSON.stringify(body)), {
      values: {
        inputs: body.inputs,
        restoreFromStateId: "k0",
        ...human({ strategy: "basic", username: "me" }),
        webhooks: { ...webhooks, authentication: { strategy: "bearer" } },
      },
      secrets: {
        humanInput: { text: "hush-1", target: "basic https://a.test" },
        streaming: { text: "hush-2", target: "bearer https://b.test" },
      },
    });
  });

  it("has its unknown members moved to “extra”, beside what is there", () => {
    const pasted = '{"metta": {"a": 1}, "inputs": {}, "priority": 7, "extra": {"b": 2}}';
    assert.deepEqual(readPasted(pasted)?.values, {
      inputs: {},
      extra: { b: 2, metta: { a: 1 }, priority: 7 },
    });
  });

  it("may be a request file, or have an address that the form refuses", () => {
    const file = '{"crew": "Travel", "label": "Demo", "inputs": {}, "taskWebhookUrl": "a.test"}';
    assert.deepEqual(readPasted(file)?.values, { inputs: {}, taskWebhookUrl: "a.test" });
  });

  for (const text of [
    "tea",
    '{"topic": "tea"}',
    '{"inputs": "of a crew"}',
    '{"inputs": {}, "api_token": "x"}',
    '{"inputs": {}, "webhooks": {"events": ["a"]}}',
    '{"inputs": {"a": 12345678901234567890}}',
    '{"inputs": {}',
  ])
    it(`is no kickoff: ${text}`, () => assert.equal(readPasted(text), undefined));
});
