import assert from "node:assert/strict";
import { readRequestFile } from "../../../../src/kickoff/request-files/request-file.ts";

/** The faults of a text by position, each with what it marks. */
const faultsIn = (text: string) =>
  readRequestFile(text)
    .faults.toSorted((a, b) => a.at.start - b.at.start)
    .map(({ kind, name, at }) =>
      [kind, ...(name === undefined ? [] : [name]), "at", text.slice(at.start, at.end)].join(" "),
    );
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

  it("knows the place of each input", () => {
    const text = '{"crew": "T", "inputs": {"city": "Oslo"}}';
    const { places } = readRequestFile(text);
    const at = (span: { start: number; end: number } | undefined) =>
      text.slice(span?.start, span?.end);
    assert.deepEqual(
      [at(places.crew), at(places.inputs), places.input.get("city")?.value.value],
      ['"T"', '"inputs"', "Oslo"],
    );
  });

  it("refuses members with a secret's name: a shared file holds none", () => {
    for (const name of [
      ...["token", "authentication", "Authorization", "bearer_token"],
      ...["apiKey", "client_secret", "password"],
    ]) {
      const text = `{"crew": "T", "${name}": "hush"}`;
      assert.deepEqual(faultsIn(text), [`secret ${name} at "${name}"`]);
      assert.doesNotMatch(JSON.stringify(readRequestFile(text)), /hush/);
    }
    assert.deepEqual(faultsIn('{"crew": "T", "passengers": 3}'), [
      'otherMember passengers at "passengers"',
    ]);
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
    const text = `{"crew": "T",
      "humanInputWebhook": {"url": "https://h.test/a", "authentication": {"strategy": "basic", "username": "me", "password": "hush"}},
      "webhooks": {"events": ["a"], "url": "https://h.test/e", "api_key": "hush", "authentication": {"token": "hush", "strategy": "bearer"}}}`;
    assert.deepEqual(faultsIn(text), [
      'secret password at "password"',
      'secret api_key at "api_key"',
      'secret token at "token"',
    ]);
    assert.doesNotMatch(JSON.stringify(readRequestFile(text)), /hush/);
  });

  const wrong: Readonly<Record<string, readonly string[]>> = {
    '"humanInputWebhook": {"url": "https://h.test/a", "authentication": {"strategy": "basic", "username": "me", "token": "hush"}}':
      ['secret token at "token"'],
    '"humanInputWebhook": {"authentication": {"strategy": "digest"}}': [
      'wrongStrategy at "digest"',
    ],
    '"webhooks": {"events": ["a b"], "realtime": 1, "to": "x"}': [
      'wrongType events at ["a b"]',
      "wrongType realtime at 1",
      'otherPart to at "to"',
    ],
    '"humanInputWebhook": {"authentication": {"strategy": "basic"}}': [
      'missingPart url at "humanInputWebhook"',
      'missingPart username at "authentication"',
    ],
    '"webhooks": {"url": "https://h.test"}': ['missingPart events at "webhooks"'],
    '"webhooks": {"authentication": {"strategy": "basic"}}': ['wrongStrategy at "basic"'],
    '"humanInputWebhook": {"url": "https://a.test"}, "humanInputWebhookUrl": "https://b.test"': [
      'sameCallback humanInputWebhookUrl at "humanInputWebhookUrl"',
    ],
    '"webhooks": null, "webhooks": null': ['twice webhooks at "webhooks"'],
    '"taskWebhookUrl": "https://me:pw@hooks.test/", "stepWebhookUrl": "hooks.test"': [
      'address taskWebhookUrl at "https://me:pw@hooks.test/"',
      'address stepWebhookUrl at "hooks.test"',
    ],
    '"inputs": [], "meta": "x", "label": 7, "input": {}': [
      "wrongType inputs at []",
      'wrongType meta at "x"',
      "wrongType label at 7",
      'otherMember input at "input"',
    ],
    '"inputs": {"a": 1, "a": 2}, "meta": null': ['twice a at "a"'],
    '"inputs": {"a": 12345678901234567890}': ["wrongNumber at 12345678901234567890"],
  };
  for (const [members, faults] of Object.entries(wrong))
    it(`reports where it is wrong or incomplete: ${members}`, () =>
      assert.deepEqual(faultsIn(`{"crew": "T", ${members}}`), faults));

  it("reports that the crew is missing, or no text", () => {
    assert.deepEqual(faultsIn("{}"), ["noCrew at {"]);
    assert.deepEqual(faultsIn('{"crew": " "}'), ['noCrew at " "']);
    assert.deepEqual(faultsIn('{"crew": 7}'), ["wrongType crew at 7"]);
  });

  it("reports where the text stops being JSON, and reads what precedes it", () => {
    const file = readRequestFile('{"crew": "T", "inputs": {"city": Oslo}}');
    assert.deepEqual(file.faults[0], {
      kind: "syntax",
      at: { start: 33, end: 37 },
      text: "This is not JSON: texts and names need double quotes.",
    });
    assert.equal(file.crew, "T");
    assert.equal(readRequestFile('{"inputs": {"a": }, "crew": "Travel"').crew, "Travel");
  });

  it("never throws and always reports a problem", () => {
    for (const text of ["", "  ", "7", "[]", "null", "{"])
      assert.ok(kindsIn(text).length > 0, text);
    assert.deepEqual(kindsIn("[".repeat(100_000)), ["tooDeep"]);
  });
});
