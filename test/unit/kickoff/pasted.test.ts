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
    const read = readPastedKickoff(JSON.stringify(body));
    assert.ok(read !== undefined && "values" in read);
    assert.deepEqual(read.values, {
      inputs: body.inputs,
      restoreFromStateId: "k0",
      ...human({ strategy: "basic", username: "me" }),
      webhooks: { ...webhooks, authentication: { strategy: "bearer" } },
    });
    const secrets = read.secrets.map(({ of, text }) => [of, text]);
    assert.deepEqual(secrets, [
      ["humanInput", "hush-1"],
      ["streaming", "hush-2"],
    ]);
  });

  it("has its unknown members moved to “extra”, beside what is there", () => {
    const pasted = '{"metta": {"a": 1}, "inputs": {}, "priority": 7, "extra": {"b": 2}}';
    assert.deepEqual(readPastedKickoff(pasted), {
      values: { inputs: {}, extra: { b: 2, metta: { a: 1 }, priority: 7 } },
      secrets: [],
      moved: ["metta", "priority"],
    });
  });

  it("may be a request file, or have an address that the form refuses", () => {
    const file = '{"crew": "Travel", "label": "Demo", "inputs": null, "taskWebhookUrl": "a.test"}';
    assert.deepEqual(readPastedKickoff(file), {
      values: { taskWebhookUrl: "a.test" },
      secrets: [],
      moved: [],
    });
  });

  it("is no kickoff without inputs", () => {
    for (const text of ["tea", '{"topic": "tea"}', "[]"])
      assert.equal(readPastedKickoff(text), undefined);
  });

  const refused: readonly (readonly [string, RegExp])[] = [
    ['"inputs": "of a crew"', /“inputs” has a wrong type/],
    ['"api_token": "x"', /Remove “api_token”: this is saved or shared/],
    ['"config": [{"llm": {"apiKey": "x"}}]', /Remove “apiKey”/],
    ['"webhooks": {"events": ["a"]}', /“webhooks” is incomplete/],
    ['"webhooks": {"url": "https://a.test", "events": "a"}', /“events” has a wrong type/],
    ['"humanInputWebhook": {"url": "https://a.test", "token": "x"}', /Remove “token”/],
    ['"humanInputWebhook": {"url": "https://a.test", "to": "x"}', /“to” does not belong here/],
    [
      '"humanInputWebhook": {"url": "https://a.test", "authentication": {"token": "x"}}',
      /“humanInputWebhook” is incomplete/,
    ],
    ['"a": 12345678901234567890', /This number is too long/],
  ];
  for (const [member, reason] of refused)
    it(`is a kickoff that the form refuses, with the reason: ${member}`, () => {
      const inputs = member.startsWith('"inputs"') ? "" : '"inputs": {}, ';
      const read = readPastedKickoff(`{${inputs}${member}}`);
      assert.ok(read !== undefined && "refused" in read);
      assert.match(read.refused, /^The pasted kickoff was not taken: /);
      assert.match(read.refused, reason);
    });
});
