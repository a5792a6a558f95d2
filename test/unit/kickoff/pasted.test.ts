import assert from "node:assert/strict";
import { readPastedKickoff } from "../../../src/kickoff/request-files/request-file.ts";

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
    assert.deepEqual(readPastedKickoff(JSON.stringify(body)), {
      values: {
        inputs: body.inputs,
        restoreFromStateId: "k0",
        ...human({ strategy: "basic", username: "me" }),
        webhooks: { ...webhooks, authentication: { strategy: "bearer" } },
      },
      secrets: {
        humanInput: "hush-1",
        streaming: "hush-2",
      },
      moved: [],
    });
  });

  it("has its unknown members moved to “extra”, beside what is there", () => {
    const pasted = '{"metta": {"a": 1}, "inputs": {}, "priority": 7, "extra": {"b": 2}}';
    assert.deepEqual(readPastedKickoff(pasted), {
      values: { inputs: {}, extra: { b: 2, metta: { a: 1 }, priority: 7 } },
      secrets: {},
      moved: ["metta", "priority"],
    });
  });

  it("may be a request file, or have an address that the form refuses", () => {
    const file = '{"crew": "Travel", "label": "Demo", "inputs": null, "taskWebhookUrl": "a.test"}';
    assert.deepEqual(readPastedKickoff(file), {
      values: { taskWebhookUrl: "a.test" },
      secrets: {},
      moved: [],
    });
  });

  it("is no kickoff without inputs", () => {
    for (const text of ["tea", '{"topic": "tea"}', "[]"])
      assert.equal(readPastedKickoff(text), undefined);
  });

  const refused: readonly (readonly [string, string])[] = [
    ['"inputs": "of a crew"', "“inputs” must be an object."],
    ['"api_token": "x"', "Remove “api_token”: this is saved on disk, and a secret must not be."],
    [
      '"config": [{"llm": {"apiKey": "x"}}]',
      "Remove “apiKey”: this is saved on disk, and a secret must not be.",
    ],
    ['"webhooks": {"events": ["a"]}', "“url” is missing."],
    [
      '"webhooks": {"url": "https://a.test", "events": "a"}',
      "“events” must be a list of names without spaces and commas.",
    ],
    [
      '"humanInputWebhook": {"url": "https://a.test", "token": "x"}',
      "“token” does not belong here.",
    ],
    [
      '"a": 12345678901234567890',
      "this number is too long. Put it in double quotes to send it as text.",
    ],
  ];
  for (const [member, reason] of refused)
    it(`is a kickoff that the form refuses, with the reason: ${member}`, () => {
      const inputs = member.startsWith('"inputs"') ? "" : '"inputs": {}, ';
      assert.deepEqual(readPastedKickoff(`{${inputs}${member}}`), {
        refused: `The pasted kickoff was not taken: ${reason}`,
      });
    });
});
