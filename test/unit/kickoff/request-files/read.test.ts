import assert from "node:assert/strict";
import { readRequestFile } from "../../../../src/kickoff/request-files/request-file.ts";

/** The faults of a text by position, each with what it marks. */
const faultsIn = (text: string) => {
  const faults = readRequestFile(text).faults.toSorted((a, b) => a.at.start - b.at.start);
  return faults.map(({ kind, name, at }) => ({
    kind,
    ...(name !== undefined && { name }),
    where: text.slice(at.start, at.end),
  }));
};
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

  for (const name of [
    "token",
    "authentication",
    "Authorization",
    "bearer_token",
    "apiKey",
    "client_secret",
    "password",
  ]) {
    it(`refuses the member ${name}: a shared file holds no secret`, () => {
      assert.deepEqual(faultsIn(`{"crew": "T", "${name}": "hush"}`), [
        { kind: "secret", name, where: `"${name}"` },
      ]);
      assert.doesNotMatch(
        JSON.stringify(readRequestFile(`{"crew": "T", "${name}": "hush"}`)),
        /hush/,
      );
    });
  }

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
      { kind: "secret", name: "password", where: '"password"' },
      { kind: "secret", name: "api_key", where: '"api_key"' },
      { kind: "secret", name: "token", where: '"token"' },
    ]);
    assert.doesNotMatch(JSON.stringify(readRequestFile(text)), /hush/);
  });

  it("reports a secret in the wrong place once", () => {
    const basic =
      '{"crew": "T", "humanInputWebhook": {"url": "https://h.test/a", "authentication": {"strategy": "basic", "username": "me", "token": "hush"}}}';
    assert.deepEqual(faultsIn(basic), [{ kind: "secret", name: "token", where: '"token"' }]);
    assert.deepEqual(faultsIn('{"crew": "T", "passengers": 3}'), [
      { kind: "otherMember", name: "passengers", where: '"passengers"' },
    ]);
  });

  it("reports where a callback is wrong or incomplete", () => {
    assert.deepEqual(
      faultsIn(
        '{"crew": "T", "humanInputWebhook": {"authentication": {"strategy": "digest"}}, "webhooks": {"events": ["a b"], "realtime": 1, "to": "x"}}',
      ),
      [
        { kind: "wrongStrategy", where: '"digest"' },
        { kind: "wrongType", name: "events", where: '["a b"]' },
        { kind: "wrongType", name: "realtime", where: "1" },
        { kind: "otherPart", name: "to", where: '"to"' },
      ],
    );
    assert.deepEqual(
      faultsIn(
        '{"crew": "T", "humanInputWebhook": {"authentication": {"strategy": "basic"}}, "webhooks": {"url": "https://h.test"}}',
      ),
      [
        { kind: "missingPart", name: "url", where: '"humanInputWebhook"' },
        { kind: "missingPart", name: "username", where: '"authentication"' },
        { kind: "missingPart", name: "events", where: '"webhooks"' },
      ],
    );
    assert.deepEqual(
      faultsIn('{"crew": "T", "webhooks": {"authentication": {"strategy": "basic"}}}'),
      [{ kind: "wrongStrategy", where: '"basic"' }],
    );
    assert.deepEqual(
      kindsIn(
        '{"crew": "T", "humanInputWebhook": {"url": "https://a.test"}, "humanInputWebhookUrl": "https://b.test"}',
      ),
      ["sameCallback"],
    );
    assert.deepEqual(kindsIn('{"crew": "T", "webhooks": {}, "webhooks": {"url": "hooks"}}'), [
      "twice",
      "address",
      "missingPart",
    ]);
  });

  it("refuses a name and password in an address, and an invalid address", () => {
    assert.deepEqual(
      faultsIn(
        '{"crew": "T", "taskWebhookUrl": "https://me:pw@hooks.test/", "stepWebhookUrl": "hooks.test"}',
      ),
      [
        { kind: "address", name: "taskWebhookUrl", where: '"https://me:pw@hooks.test/"' },
        { kind: "address", name: "stepWebhookUrl", where: '"hooks.test"' },
      ],
    );
  });

  it("reports wrong types, unknown members, and what is missing", () => {
    assert.deepEqual(faultsIn('{"inputs": [], "meta": "x", "label": 7, "input": {}}'), [
      { kind: "noCrew", where: "{" },
      { kind: "wrongType", name: "inputs", where: "[]" },
      { kind: "wrongType", name: "meta", where: '"x"' },
      { kind: "wrongType", name: "label", where: "7" },
      { kind: "otherMember", name: "input", where: '"input"' },
    ]);
    assert.deepEqual(kindsIn('{"crew": 7}'), ["wrongType"]);
    assert.deepEqual(faultsIn('{"crew": "T", "inputs": {"a": 1, "a": 2}, "meta": null}'), [
      { kind: "twice", name: "a", where: '"a"' },
    ]);
    assert.deepEqual(faultsIn('{"crew": " "}'), [{ kind: "noCrew", where: '" "' }]);
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

  for (const text of ["", "  ", "7", "[]", "null", "{"]) {
    it(`never throws and always reports a problem: ${JSON.stringify(text)}`, () => {
      assert.ok(kindsIn(text).length > 0);
    });
  }

  it("reports nesting that is too deep", () => {
    assert.deepEqual(kindsIn("[".repeat(100_000)), ["tooDeep"]);
  });
});
