import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { callbackMembers, callbackNames, filledCallbacks } from "../../../src/api/callbacks.ts";
import type { KickoffRequest } from "../../../src/api/types.ts";
import { projectFolder } from "../../support/folders.ts";

const read = (...names: string[]) => readFileSync(path.join(projectFolder, ...names), "utf8");

describe("the table of callbacks", () => {
  it("is the same in the local service's description of the API", () => {
    const { components } = parse(read("src", "service", "openapi.yaml")) as {
      components: { schemas: { Callbacks: { properties: object } } };
    };
    assert.deepEqual(Object.keys(components.schemas.Callbacks.properties), [...callbackMembers]);
  });

  it("is the same in the schema of request files", () => {
    const { properties } = JSON.parse(read("media", "kickoff.schema.json")) as {
      properties: object;
    };
    const callbacks = Object.keys(properties).filter((name) => /webhook/i.test(name));
    assert.deepEqual(callbacks, [...callbackMembers]);
  });

  it("has the callbacks of the API for other extensions, whose file imports nothing", () => {
    const types = read("src", "actions", "crewdeck-api.ts");
    const names = [...types.matchAll(/\b(\w+WebhookUrl)\?: string;/g)].map(([, name]) => name);
    assert.deepEqual(names, callbackNames.slice(0, 3));
  });
});

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
