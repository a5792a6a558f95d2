import assert from "node:assert/strict";
import {
  checkRequestFile,
  readPastedKickoff,
  readRequestFile,
  writeRequestFile,
} from "../../../../src/kickoff/request-files/request-file.ts";
import { suggestFileName, withEnding } from "../../../../src/kickoff/request-files/name.ts";
import { authenticated, crew } from "../support.ts";
import type { InputField } from "../../../../src/api/types.ts";

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

  it("accepts which calls wait for a person, of a local crew only, and writes them again", () => {
    const rules = { approveTools: ["send_mail", "*"], limits: { tokens: 5, dollars: 0.5 } };
    const text = writeRequestFile("Travel", { inputs: {}, rules });
    const file = readRequestFile(text);
    assert.deepEqual([file.faults, file.values.rules], [[], rules]);
    const local = { folder: "file:///x", engine: "crewai", running: true } as const;
    const inputs = { fields: [] };
    assert.deepEqual(checkRequestFile(file, { ...crew, local }, inputs), []);
    const faults = checkRequestFile(file, crew, inputs).map(({ kind, at }) => [
      kind,
      text.slice(at.start, at.end),
    ]);
    assert.deepEqual(faults, [
      ["wrong", '"approveTools"'],
      ["wrong", '"limits"'],
    ]);
    for (const wrong of [{ tokens: 0 }, { tokens: 1.5 }, { dollars: 0 }, { other: 1 }])
      assert.ok(kindsIn(JSON.stringify({ crew: "T", limits: wrong })).length > 0);
    assert.deepEqual(kindsIn('{"crew": "T", "approveTools": "a"}'), ["schema"]);
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

describe("Writing a request file", () => {
  it("writes a text that is read as the same values", () => {
    const values = {
      inputs: { city: 'Oslo "north"', days: 3, ["__proto__"]: "x" },
      meta: { ticket: 7 },
      restoreFromStateId: "k0",
      crewWebhookUrl: "https://hooks.test/done",
      extra: { priority: 1, nested: { a: [] } },
    };
    const file = readRequestFile(writeRequestFile("Travel", values, "Demo"));
    const read = { crew: file.crew, label: file.label, values: file.values, faults: file.faults };
    assert.deepEqual(read, { crew: "Travel", label: "Demo", values, faults: [] });
  });

  it("leaves out anything else, such as a callback's secret, and keeps the callback", () => {
    const text = writeRequestFile("Travel", {
      inputs: {},
      ...authenticated({ password: "hush" }, { token: "hush" }),
    });
    assert.doesNotMatch(text, /hush/);
    assert.deepEqual(readRequestFile(text).faults, []);
    assert.deepEqual(readRequestFile(text).values, { inputs: {}, ...authenticated({}, {}) });
  });

  for (const [crew, inputs, name] of [
    ["Travel", { city: "Oslo", days: 3 }, "travel-oslo.kickoff.json"],
    [
      "Мой план!",
      { empty: "", none: null, stadt: "Zürich, am See" },
      "мой-план-zürich-am-see.kickoff.json",
    ],
    ["../..", {}, "request.kickoff.json"],
    ["T", { topic: "word ".repeat(40) }, "t-word-word-word-word-word-word.kickoff.json"],
    ["T", { n: { a: 1 } }, "t-a-1.kickoff.json"],
  ] as const)
    it(`suggests the name ${name}`, () => {
      assert.equal(suggestFileName(crew, inputs), name);
    });

  it("gives a file the ending that makes it a request file, once, and leaves the rest alone", () => {
    for (const [name, whole] of [
      ["a.kickoff.json", "a"],
      ["a", "a"],
      ["a.json", "a"],
      ["a.kickoff.json.kickoff.json", "a"],
      ["a.kickoff.json.json", "a"],
      ["a.Kickoff.JSON", "a"],
      ["a.b", "a.b"],
      ["a.kickoff.json/b", "a.kickoff.json/b"],
      ["a.jsonc", "a.jsonc"],
    ] as const)
      assert.equal(withEnding(`/work/${name}`), `/work/${whole}.kickoff.json`);
  });
});

describe("Inputs of a request file", () => {
  /** The faults of inputs, each with the text that it marks. */
  function faults(inputs: string, fields: readonly InputField[]) {
    const text = `{"crew": "T"${inputs}}`;
    return checkRequestFile(readRequestFile(text), crew, { fields }).map(
      ({ kind, at }) => `${kind} at ${text.slice(at.start, at.end)}`,
    );
  }

  it("are missing if they are required, which is marked at the member “inputs”", () => {
    const fields: InputField[] = [
      { name: "city" },
      { name: "days", required: false },
      { name: "who", required: true },
    ];
    assert.deepEqual(faults(', "inputs": {}', fields), ['input at "inputs"', 'input at "inputs"']);
    assert.deepEqual(faults("", [{ name: "city" }]), ['input at {"crew": "T"}'], "or not given");
  });

  for (const [type, right, wrong] of [
    ["string", '"x"', "7"],
    ["number", "1.5", '"1.5"'],
    ["integer", "2", "2.5"],
    ["boolean", "false", "0"],
    ["object", "{}", "[]"],
    ["array", "[]", "{}"],
  ] as const)
    it(`have the type that the crew describes: ${type}`, () => {
      const given = (value: string) => faults(`, "inputs": {"a": ${value}}`, [{ name: "a", type }]);
      assert.deepEqual(given(right), []);
      for (const value of [wrong, "null"]) assert.deepEqual(given(value), ['input at "a"']);
    });

  it("are one of the values that the crew lists", () => {
    const given = (value: string) =>
      faults(`, "inputs": {"size": ${value}}`, [{ name: "size", enum: ["s", "m", 7] }]);
    assert.deepEqual(given("7"), []);
    assert.deepEqual(given('"7"'), ['input at "size"']);
  });

  it("are reported as unlisted if the crew doesn't list them", () => {
    assert.deepEqual(faults(', "inputs": {"city": "Oslo", "__proto__": 1}', [{ name: "city" }]), [
      'unlisted at "__proto__"',
    ]);
  });
});

describe("A pasted text", () => {
  const human = (authentication: object) => ({
    humanInputWebhook: { url: "https://a.test/h", authentication },
  });

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
    ['"humanInputWebhook": {"url": "https://a.test", "token": "x"}', /Remove “token”/],
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
