import assert from "node:assert/strict";
import { checkAddress, keptAddress } from "../../../src/kickoff/callbacks.ts";
import { readJsonView, writeJsonView } from "../../../src/kickoff/form/json-view.ts";
import { keptValues } from "../../../src/kickoff/form/secrets.ts";
import { placeAfterCuts } from "../../../src/kickoff/json.ts";
import { initialValues } from "../../../src/kickoff/form/values.ts";

const blank = initialValues([]);
const readLast = { ...blank, meta: '{"ticket": 7}' };
const keptText = (json: string) => keptValues({ ...readLast, json }).json;
const human = (authentication: string) =>
  `{"inputs": {"token": "tea"}, "humanInputWebhook": {"url": "https://a.test/h", "authentication": {${authentication}}}}`;
const bearer = (rest: string) => human(`"strategy": "bearer", ${rest}`);

describe("What is stored of a JSON text", () => {
  it("is all of a valid one without the callbacks' secrets, wherever they are", () => {
    for (const authentication of [
      '"strategy": "bearer", "token": "hush"',
      '"token": "hush", "strategy": "bearer"',
      '"strategy": "bearer",\n "to\\u006ben": "hu\\"sh"',
    ]) {
      assert.match(
        keptText(human(authentication)) ?? "",
        /^\{"inputs": \{"token": "tea"\}.*"authentication": \{"strategy": "bearer"\}\}\}$/s,
      );
    }
    const kept =
      keptText(`{"inputs": {"password": "x"}, "humanInputWebhook": {"url": "https://a.test", "authentication": {"strategy": "basic", "password": "hush", "username": "me"}},
      "webhooks": {"events": ["a"], "url": "https://a.test", "authentication": {"strategy": "bearer", "token": "hush"}}}`);
    assert.deepEqual(JSON.parse(kept ?? ""), {
      inputs: { password: "x" },
      humanInputWebhook: {
        url: "https://a.test",
        authentication: { strategy: "basic", username: "me" },
      },
      webhooks: { events: ["a"], url: "https://a.test", authentication: { strategy: "bearer" } },
    });
    const plain = human('"strategy": "bearer"');
    assert.equal(keptText(plain), plain);
  });

  it("is without the name and password of a callback's address, however it is written, but not of one among the inputs", () => {
    const text =
      '{"inputs": {"repo": "https://me:own@git.test", "api_key": "mine"}, "crewWebhookUrl": ADDRESS}';
    for (const [typed, kept] of [
      ['"https:\\/\\/me:hush@a.test/x@y"', '"https://a.test/x@y"'],
      ['"https:\\u002f\\u002fme:hush@a.test/x"', '"https://a.test/x"'],
      ['"https://me:hush\\u0040a.test/x"', '"https://a.test/x"'],
      ['"https://me:hu\'sh@a.test/x"', '"https://a.test/x"'],
      ['"https://me:a/hush@a.test/x"', '""'],
      [
        '"https://relay.test/cb?to=https://key@a.test/42"',
        '"https://relay.test/cb?to=https://key@a.test/42"',
      ],
    ] as const)
      assert.equal(keptText(text.replace("ADDRESS", typed)), text.replace("ADDRESS", kept));
  });

  for (const [what, text] of [
    [
      "not complete",
      '{"humanInputWebhook": {"authentication": {"strategy": "bearer", "token": "hush',
    ],
    ["ending in a backslash", '{"humanInputWebhook": {"authentication": {"token": "hush\\'],
    ["over two lines", bearer('"token": "abc\nhush"')],
    ["without a colon", bearer('"token" "hush"')],
    ["without the first quote", bearer('token": "hush"')],
    ["with a comma for a colon", bearer('"token", "hush"')],
    ["with typographic quotes", bearer("“token”: “hush”")],
    ["within a list", bearer('"token": ["hush"]')],
    ["within an object", bearer('"token": {"v": "hush"}')],
    ["with an arrow", bearer('"token" => "hush"')],
    ["with two colons", bearer('"token":: "hush"')],
    ["by another name", bearer('"pass": "hush"')],
    ["by a name with a typo", bearer('"tokn": "hush"')],
    ["by a name with a space", bearer('"token ": "hush"')],
    [
      "by a name in escapes",
      '{"inputs": {}, "x": {"\\u0074\\u006f\\u006b\\u0065\\u006e": "hush",}}',
    ],
    ["a number", bearer('"token": 12345, "x": "hush"')],
    ["behind a comment", bearer('"token": /* x */ "hush"')],
    ["with a quote too many", bearer('"token": ""hush"')],
    ["with a quote within", '{"password": "hu\\"hush'],
    ["with single quotes", "{'token': 'hush', 'url': 'https://a.test'}"],
    ["with no quotes", "{token: hush, password: hush\n"],
    ["an unknown member", '{"inputs": {}, "authentication": {"value": "hush"}}'],
    ["a header", '{"inputs": {}, "headers": {"Authorization": "Basic hush"}}'],
    ["a curl command with a name and password", "curl -u me:hush https://a.test"],
    ["a curl command with a header", "curl -H 'Authorization: Bearer hush' https://a.test"],
    ["an address in a text that is not JSON", '{"inputs": {}, "url": "https://me:hush@a.test",}'],
    [
      "an address with escapes in a text that is not JSON",
      '{"inputs": {}, "url": "https:\\/\\/me:hush@a.test",}',
    ],
    [
      "an address with a typo in a text that is not JSON",
      '{"inputs": {}, "url": "https:/me:hush@a.test",}',
    ],
    ["both token and password", human('"token": "hush", "password": "hush", "strategy": "basic"')],
    ["other names", '{"api_key": "hush", "apiKey": "hush", "pwd": "hush", "client_secret": "hush"'],
  ] as const) {
    it(`is the last valid one if it is invalid and may have a secret: ${what}`, () => {
      assert.ok("fault" in readJsonView([], blank, text), "it can't be read");
      assert.equal(keptText(text), writeJsonView(readLast));
      assert.doesNotMatch(
        JSON.stringify(keptValues(keptValues({ ...readLast, json: text }))),
        /hush/,
      );
    });
  }

  it("is all of an invalid one if nothing looks like a secret", () => {
    for (const text of [
      "{",
      '{"inputs": {"passengers": 5, "to": "me@a.test"}',
      '{"inputs": {"author": "Ann", "url": "https://a.test"} 1',
    ])
      assert.equal(keptText(text), text);
  });

  it("keeps the cursor's place in the remaining text", () => {
    const cuts = [
      { start: 5, end: 10 },
      { start: 20, end: 22 },
    ];
    assert.deepEqual(
      [0, 5, 7, 10, 15, 21, 30].map((offset) => placeAfterCuts(offset, cuts)),
      [0, 5, 5, 5, 10, 15, 23],
    );
  });
});

describe("What is stored of an address", () => {
  for (const secret of ["hush", "p'whush", 'p"whush', "p whush", "a:hush", "%68hush"]) {
    it(`is without its name and password: ${secret}`, () => {
      assert.equal(checkAddress(`https://me:${secret}@a.test/x`)?.kind, "credentials");
      assert.equal(
        keptAddress(` https://me:${secret}@a.test/x?y=z@w#v`),
        "https://a.test/x?y=z@w#v",
      );
    });
  }

  it("is nothing if it is invalid, because these can't be distinguished from the rest", () => {
    for (const typed of [
      "https://me:a/hush@a.test",
      "https://me:p\\hush@a.test",
      "me:hush@a.test",
      "ftp://me:hush@a.test",
      "https:/me:hush@a.test",
      "https://me:hush@",
    ])
      assert.equal(keptAddress(typed), "");
  });

  it("is the unchanged address if it has none, even if it is incomplete", () => {
    for (const typed of [
      "",
      "a.test",
      " https://a.test ",
      "https://relay.test/cb?to=https://key@a.test/42",
      "https://a.test/@me",
    ])
      assert.equal(keptAddress(typed), typed);
  });

  it("is the same in the form's fields", () => {
    const values = {
      ...blank,
      callbacks: { ...blank.callbacks, taskWebhookUrl: "https://me:hush@a.test/t" },
      streaming: { ...blank.streaming, url: "http://hush@a.test" },
    };
    assert.deepEqual(
      [keptValues(values).callbacks.taskWebhookUrl, keptValues(values).streaming.url],
      ["https://a.test/t", "http://a.test/"],
    );
  });
});
