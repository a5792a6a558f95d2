import assert from "node:assert/strict";
import { readJsonView } from "../../../src/kickoff/json-view.ts";
import { keptText, keptValues } from "../../../src/kickoff/kept-values.ts";
import { placeAfterCuts } from "../../../src/kickoff/text-edits.ts";
import { initialValues } from "../../../src/kickoff/values.ts";

const human = (authentication: string) => `{"inputs": {"token": "tea"}, "humanInputWebhook": {"url": "https://a.test/h", "authentication": {${authentication}}}}`;

describe("What is kept of a JSON text", () => {
  it("is all of it but for the callbacks' secrets, wherever they stand, where it can be read", () => {
    for (const authentication of ['"strategy": "bearer", "token": "hush"', '"token": "hush", "strategy": "bearer"', '"strategy": "bearer",\n "to\\u006ben": "hu\\"sh"']) {
      assert.match(keptText(human(authentication)), /^\{"inputs": \{"token": "tea"\}.*"authentication": \{"strategy": "bearer"\}\}\}$/s);
    }
    const kept = keptText(`{"inputs": {"password": "x"}, "humanInputWebhook": {"url": "https://a.test", "authentication": {"strategy": "basic", "password": "hush", "username": "me"}},
      "webhooks": {"events": ["a"], "url": "https://a.test", "authentication": {"strategy": "bearer", "token": "hush"}}}`);
    assert.deepEqual(JSON.parse(kept), {
      inputs: { password: "x" },
      humanInputWebhook: { url: "https://a.test", authentication: { strategy: "basic", username: "me" } },
      webhooks: { events: ["a"], url: "https://a.test", authentication: { strategy: "bearer" } },
    });
    const plain = human('"strategy": "bearer"');
    assert.equal(keptText(plain), plain);
  });

  it("is without the name and password of an address, but not of one among the inputs", () => {
    const text = '{"inputs": {"repo": "https://me:own@git.test"}, "crewWebhookUrl": "https:\\/\\/me:hush@a.test/x@y"}';
    assert.equal(keptText(text), text.replace("me:hush@", ""));
  });

  for (const [what, text] of [
    ["not complete", '{"humanInputWebhook": {"authentication": {"strategy": "bearer", "token": "hush'],
    ["with a quote within", '{"password": "hu\\"hush'],
    ["with single quotes", "{'token': 'hush', 'url': 'https://a.test'}"],
    ["with no quotes", "{token: hush, password: hush\n"],
    ["a member that does not belong there", '{"inputs": {}, "authentication": {"token": "hush"}}'],
    ["a number", '{"token": 12hush, "a" 1}'],
    ["on the next line", '{"password" :\n  "hush" "a"}'],
    ["a curl command", "curl -H 'Authorization: Bearer hush' -d '{\"webhooks\": {\"authentication\": {\"token\": \"hush\"}}}' https://me:hush@a.test"],
    ["a curl command in double quotes", 'curl -H "Authorization: Bearer hush" -d "{\\"client_secret\\": \\"hush\\"}"'],
    ["a bearer token of a wrong type", human('"strategy": "bearer", "token": ["x"], "password": "hush"')],
    ["both token and password", human('"token": "hush", "password": "hush", "strategy": "basic"')],
    ["other names", '{"api_key": "hush", "apiKey": "hush", "access_token": "hush", "Authorization": "Basic hush" '],
  ] as const) {
    it(`holds no secret where the text can't be read: ${what}`, () => {
      assert.ok("fault" in readJsonView([], initialValues([]), text), "it can't be read");
      assert.doesNotMatch(keptText(text), /hush/);
      assert.equal(keptText(keptText(text)), keptText(text));
    });
  }

  it("is as it was where nothing in it looks like a secret, readable or not", () => {
    for (const text of ["{", '{"inputs": {"max_tokens": 5, "topic": "passwords and tokens"}', '{"inputs": {"authenticate": true} 1']) assert.equal(keptText(text), text);
  });

  it("takes no longer for a text that is made to take long", () => {
    const long = "a".repeat(300_000);
    // Each of these is quadratic where the expression begins anew at each character: minutes.
    for (const text of [`{"${long}token`, `${"://".repeat(100_000)}token`, `{"token": "${"\\n".repeat(150_000)}`]) assert.ok(keptText(text).length > 0);
  });

  it("goes for the form's addresses, too", () => {
    const values = { ...initialValues([]), callbacks: { ...initialValues([]).callbacks, taskWebhookUrl: "https://me:hush@a.test/t" }, streaming: { ...initialValues([]).streaming, url: "http://hush@a.test" } };
    assert.deepEqual([keptValues(values).callbacks.taskWebhookUrl, keptValues(values).streaming.url], ["https://a.test/t", "http://a.test"]);
  });

  it("leaves the cursor where it was in what stays", () => {
    const cuts = [{ start: 5, end: 10 }, { start: 20, end: 22 }];
    assert.deepEqual([0, 5, 7, 10, 15, 21, 30].map((offset) => placeAfterCuts(offset, cuts)), [0, 5, 5, 5, 10, 15, 23]);
  });
});
