import assert from "node:assert/strict";
import { readRequestFile } from "../../../../src/kickoff/request-files/request-file.ts";

/** The faults of a text by position, each with what it marks. */
const faultsIn = (text: string) =>
  readRequestFile(text)
    .faults.toSorted((a, b) => a.at.start - b.at.start)
    .map(({ kind, at }) => `${kind} at ${text.slice(at.start, at.end)}`);
const kindsIn = (text: string) => readRequestFile(text).faults.map(({ kind }) => kind);

describe("Reading a request file", () => {
  it("accepts crew, label, inputs, meta and callbacks, with comments and trailing commas", () => {
    const file = readRequestFile(`{
      // For the demo
      "$schema": "./kickoff.schema.json",
      "crew": "Travel", "label": "Demo",
      "inputs": {"city": "Oslo", "days": 3, "list": [1, null, true], "__proto__": "x"},
      "meta": {"ticket": 7},
      "crewWebhookUrl": " https://hooks.test/done ", "taskWebhookUrl": "",
    }`);
    assert.deepEqual(file.faults, []);
    assert.equal(file.crew, "Travel");
    assert.equal(file.label, "Demo");
    assert.deepEqual(Object.entries(file.values.inputs ?? {}), [
      ["city", "Oslo"],
      ["days", 3],
      ["list", [1, null, true]],
      ["__proto__", "x"],
    ]);
    assert.deepEqual(
      { ...file.values, inputs: {} },
      { inputs: {}, meta: { ticket: 7 }, crewWebhookUrl: "https://hooks.test/done" },
    );
  });

  it("knows the place of each member, or of the one around it", () => {
    const text = '{"crew": "T", "inputs": {"city": "Oslo"}}';
    const { at } = readRequestFile(text);
    const marked = [["crew"], ["inputs", "city"], ["inputs", "days"], ["meta"]].map((path) => {
      const { start, end } = at(path);
      return text.slice(start, end);
    });
    assert.deepEqual(marked, ['"crew"', '"city"', '"inputs"', text]);
  });

  it("refuses members with a secret's name: a shared file holds none", () => {
    for (const name of [
      ...["token", "authentication", "Authorization", "bearer_token"],
      ...["apiKey", "client_secret", "password"],
    ]) {
      const text = `{"crew": "T", "${name}": "hush"}`;
      const { faults } = readRequestFile(text);
      assert.match(faults[0]?.text ?? "", RegExp(`^Remove “${name}”: .* no secrets`));
      assert.doesNotMatch(JSON.stringify(faults), /hush/);
    }
    assert.deepEqual(faultsIn('{"crew": "T", "passengers": 3}'), ['unknown at "passengers"']);
  });

  it("accepts callbacks that authenticate, without their secrets; null and an empty text mean none", () => {
    const { values, faults } = readRequestFile(`{
      "crew": "T", "inputs": {}, "crewWebhookUrl": null, "taskWebhookUrl": "",
      "humanInputWebhook": {"url": "https://h.test/a", "authentication": {"strategy": "basic", "username": "me", "password": ""}},
      "webhooks": {"events": ["task_started"], "url": "https://h.test/e", "realtime": true, "authentication": {"strategy": "bearer", "token": null}},
    }`);
    assert.deepEqual(faults, []);
    assert.deepEqual(values, {
      inputs: {},
      humanInputWebhook: {
        url: "https://h.test/a",
        authentication: { strategy: "basic", username: "me" },
      },
      webhooks: {
        events: ["task_started"],
        url: "https://h.test/e",
        realtime: true,
        authentication: { strategy: "bearer" },
      },
    });
    assert.deepEqual(
      readRequestFile(
        '{"crew": "T", "humanInputWebhook": {"url": "https://h.test/a"}, "webhooks": null}',
      ).values,
      { humanInputWebhookUrl: "https://h.test/a" },
    );
  });

  it("refuses a callback's secret at its member, wherever in the callback it is, and repeats none", () => {
    const secrets = `{"crew": "T",
      "humanInputWebhook": {"url": "https://h.test/a", "authentication": {"strategy": "basic", "username": "me", "password": "hush"}},
      "webhooks": {"events": ["a"], "url": "https://h.test/e", "authentication": {"token": "hush", "strategy": "bearer"}}}`;
    assert.deepEqual(faultsIn(secrets), ['wrong at "password"', 'wrong at "token"']);
    const stray = '{"crew": "T", "webhooks": {"events": [], "api_key": "hush"}}';
    assert.deepEqual(faultsIn(stray), ['wrong at "api_key"']);
    for (const text of [secrets, stray])
      assert.doesNotMatch(JSON.stringify(readRequestFile(text)), /hush/);
  });

  const wrong: Readonly<Record<string, readonly string[]>> = {
    '"humanInputWebhook": {"authentication": {"strategy": "digest"}}': ['schema at "strategy"'],
    '"webhooks": {"events": ["a b"], "realtime": 1, "to": "x"}': [
      'schema at "events"',
      'schema at "realtime"',
      'wrong at "to"',
    ],
    '"humanInputWebhook": {"authentication": {"strategy": "basic"}}': [
      'wrong at "humanInputWebhook"',
      'unfinished at "authentication"',
    ],
    '"webhooks": {"url": "https://h.test"}': ['unfinished at "webhooks"'],
    '"webhooks": {"authentication": {"strategy": "basic"}}': ['schema at "strategy"'],
    '"webhooks": {"authentication": {"password": "hush"}}': ['wrong at "webhooks"'],
    '"humanInputWebhook": {"url": "https://a.test"}, "humanInputWebhookUrl": "https://b.test"': [
      'wrong at "humanInputWebhookUrl"',
    ],
    '"webhooks": null, "webhooks": null': ['twice at "webhooks"'],
    '"taskWebhookUrl": "https://me:pw@hooks.test/", "stepWebhookUrl": "hooks.test"': [
      'unfinished at "taskWebhookUrl"',
      'unfinished at "stepWebhookUrl"',
    ],
    '"inputs": [], "meta": "x", "label": 7, "input": {}': [
      'schema at "inputs"',
      'schema at "meta"',
      'schema at "label"',
      'unknown at "input"',
    ],
    '"inputs": {"a": 1, "a": 2}, "meta": null': ['twice at "a"'],
    '"inputs": {"a": 12345678901234567890}': ["wrong at 12345678901234567890"],
  };
  for (const [members, faults] of Object.entries(wrong))
    it(`reports where it is wrong or incomplete: ${members}`, () =>
      assert.deepEqual(faultsIn(`{"crew": "T", ${members}}`), faults));

  it("reports that the crew is missing, or no text", () => {
    assert.deepEqual(faultsIn("{}"), ["schema at {}"]);
    assert.deepEqual(faultsIn('{"crew": " "}'), ['schema at "crew"']);
    assert.ok(kindsIn('{"crew": 7}').includes("schema"));
  });

  it("reports where the text stops being JSON, and reads what precedes it", () => {
    const file = readRequestFile('{"crew": "T", "inputs": {"city": Oslo}}');
    assert.deepEqual(file.faults[0], {
      kind: "syntax",
      at: { start: 33, end: 37 },
      text: "This is not JSON.",
    });
    assert.equal(file.crew, "T");
    assert.equal(readRequestFile('{"inputs": {"a": }, "crew": "Travel"').crew, "Travel");
  });

  it("never throws and always reports a problem", () => {
    for (const text of ["", "  ", "7", "[]", "null", "{"])
      assert.ok(kindsIn(text).length > 0, text);
    assert.deepEqual(kindsIn("[".repeat(100_000)), ["wrong", "schema"]);
  });
});
