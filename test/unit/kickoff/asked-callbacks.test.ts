import assert from "node:assert/strict";
import { givenCallbacks } from "../../../src/api/callbacks.ts";
import { callbacksText } from "../../../src/kickoff/texts.ts";

const textOf = (crewWebhookUrl: string) => callbacksText(givenCallbacks({ crewWebhookUrl }));

describe("The callbacks in a confirmation", () => {
  it("are shown with kind and full address, each on a line", () => {
    const callbacks = givenCallbacks({
      crewWebhookUrl: "https://h.test:8443/c?to=me#x",
      taskWebhookUrl: "http://h.test/t",
      stepWebhookUrl: "",
      humanInputWebhook: {
        url: "https://h.test/h",
        authentication: { strategy: "basic", username: "me" },
      },
      webhooks: {
        url: "https://e.test/e",
        events: ["task_started"],
        authentication: { strategy: "bearer" },
      },
    });
    assert.deepEqual(callbacksText(callbacks).split("\n"), [
      "• the output of each task, to http://h.test/t",
      "• the result, to https://h.test:8443/c?to=me#x",
      "• each output that waits for a person, to https://h.test/h",
      "• the events of the execution as they happen, to https://e.test/e",
    ]);
    assert.deepEqual(givenCallbacks({}), []);
  });

  it("are shown on one line, with misleading characters of an address as escapes", () => {
    const punycode = textOf("https://h\u043e\u043eks.test/a");
    assert.equal(punycode, String.raw`• the result, to https://h\u{43e}\u{43e}ks.test/a`);
    assert.equal(
      textOf("https://h.test\\@evil.test/\u202ea\nb c"),
      String.raw`• the result, to https://h.test\@evil.test/\u{202e}a\u{a}b\u{20}c`,
    );
  });

  it("are shown with the number of characters that are left out of a long address", () => {
    const line = textOf(`https://h.test/${"x".repeat(1_000)}`);
    assert.match(
      line,
      /^• the result, to https:\/\/h\.test\/x+ … \(715 more characters, not shown\)$/,
    );
  });
});
