import assert from "node:assert/strict";
import { formFields } from "../../../src/kickoff/form/fields.ts";
import { readJsonView, writeJsonView } from "../../../src/kickoff/form/json-view.ts";
import { type FormValues, initialValues, toRequest } from "../../../src/kickoff/form/values.ts";

const fields = formFields({ fields: [{ name: "topic" }], raw: undefined });
const blank: FormValues = {
  ...initialValues(fields),
  inputs: [{ name: "topic", mode: "text", text: "tea" }],
};
const callbacks = {
  taskWebhookUrl: " https://a.test/t ",
  stepWebhookUrl: "",
  crewWebhookUrl: "https://a.test/c",
  humanInputWebhookUrl: "https://a.test/h",
};
const streaming = {
  url: "https://a.test/e",
  events: "task_started, task_completed\n",
  realtime: true,
  strategy: "bearer" as const,
};
const values: FormValues = {
  ...blank,
  callbacks,
  humanInput: { strategy: "basic", username: "me" },
  streaming,
};

function read(text: string, before: FormValues = blank) {
  const reading = readJsonView(fields, before, text);
  assert.ok("values" in reading, JSON.stringify(reading));
  return reading;
}

/** The fault of a body of one line with these members and inputs. */
function faultOf(members: string) {
  const reading = readJsonView(fields, blank, `{"inputs": {}, ${members}}`);
  assert.ok("fault" in reading, "the text is valid");
  return reading.fault;
}

const wrongType = (name: string, wanted: string, line: number, column: number) => ({
  kind: "wrongType",
  name,
  wanted,
  line,
  column,
});

describe("Callbacks in the form as JSON", () => {
  it("are written as they are sent, without secrets; an address without authentication is a plain one", () => {
    assert.deepEqual(JSON.parse(writeJsonView(values)), {
      inputs: { topic: "tea" },
      taskWebhookUrl: "https://a.test/t",
      crewWebhookUrl: "https://a.test/c",
      humanInputWebhook: {
        url: "https://a.test/h",
        authentication: { strategy: "basic", username: "me" },
      },
      webhooks: {
        events: ["task_started", "task_completed"],
        url: "https://a.test/e",
        realtime: true,
        authentication: { strategy: "bearer" },
      },
    });
    const plain = {
      ...values,
      humanInput: { strategy: "none" as const, username: "me" },
      streaming: initialValues([]).streaming,
    };
    assert.deepEqual(JSON.parse(writeJsonView(plain)), {
      inputs: { topic: "tea" },
      taskWebhookUrl: "https://a.test/t",
      crewWebhookUrl: "https://a.test/c",
      humanInputWebhookUrl: "https://a.test/h",
    });
    assert.equal(writeJsonView(blank), '{\n  "inputs": {\n    "topic": "tea"\n  }\n}');
  });

  it("are read exactly as they were typed, and are written the same again", () => {
    const unused = {
      ...blank,
      humanInput: { strategy: "bearer" as const, username: "x" },
      streaming: { ...streaming, url: "", events: " " },
    };
    const events = { ...blank, streaming: { ...streaming, url: "" } };
    for (const each of [
      values,
      blank,
      unused,
      events,
      { ...values, humanInput: { strategy: "none" as const, username: "me" } },
    ]) {
      const text = writeJsonView(each);
      for (const layout of [
        text,
        JSON.stringify(JSON.parse(text)),
        text.replaceAll("\n", "\n\n  "),
      ])
        assert.deepEqual(read(layout, each).values, { ...each, json: layout });
      assert.equal(writeJsonView(read(text).values), text, "read into an untouched form");
    }
  });

  it("apply changes, in either form of the human-input callback", () => {
    const basic = read(
      '{"inputs": {}, "humanInputWebhook": {"url": "https://b.test", "authentication": {"strategy": "basic", "username": "you"}}}',
      values,
    ).values;
    assert.deepEqual(
      [basic.callbacks, basic.humanInput],
      [
        {
          taskWebhookUrl: "",
          stepWebhookUrl: "",
          crewWebhookUrl: "",
          humanInputWebhookUrl: "https://b.test",
        },
        { strategy: "basic", username: "you" },
      ],
    );
    assert.equal(basic.streaming.url, "");
    const plain = read(
      '{"inputs": {}, "humanInputWebhook": {"url": "https://b.test", "authentication": null}, "webhooks": {"url": "https://b.test/e", "events": ["a", "b"]}}',
      values,
    ).values;
    assert.deepEqual(plain.humanInput, { strategy: "none", username: "" });
    assert.deepEqual(plain.streaming, {
      url: "https://b.test/e",
      events: "a\nb",
      realtime: false,
      strategy: "none",
    });
    assert.deepEqual(toRequest(fields, { ...plain, inputs: [] }), {
      inputs: {},
      humanInputWebhookUrl: "https://b.test",
      webhooks: { events: ["a", "b"], url: "https://b.test/e", realtime: false },
    });
  });

  it("are none if they are missing, null or empty", () => {
    const none =
      '{"inputs": {}, "taskWebhookUrl": null, "stepWebhookUrl": "", "humanInputWebhookUrl": null, "humanInputWebhook": {"url": "", "authentication": {}}, "webhooks": null}';
    const { values: now, wrong } = read(none);
    assert.deepEqual(
      [now.callbacks, now.humanInput, now.streaming, wrong],
      [blank.callbacks, blank.humanInput, blank.streaming, []],
    );
  });

  it("are kept if they can't be sent, with the problem and its place", () => {
    const wrong = (members: string) => read(`{"inputs": {},\n${members}}`).wrong;
    assert.deepEqual(wrong('"taskWebhookUrl": "a.test"'), [
      { kind: "address", name: "taskWebhookUrl", fault: "notAnAddress", line: 2, column: 19 },
    ]);
    assert.deepEqual(wrong('"webhooks": {"url": "https://me:pw@a.test", "events": ["a"]}'), [
      { kind: "address", name: "url", fault: "credentials", line: 2, column: 21 },
    ]);
    assert.deepEqual(wrong('"webhooks": {"events": ["a"]}'), [
      { kind: "missingPart", name: "url", line: 2, column: 1 },
    ]);
    assert.deepEqual(wrong('"webhooks": {"url": "https://a.test"}'), [
      { kind: "missingPart", name: "events", line: 2, column: 1 },
    ]);
    assert.deepEqual(
      wrong(
        '"humanInputWebhook": {"url": "https://a.test", "authentication": {"strategy": "basic"}}',
      ),
      [{ kind: "missingPart", name: "username", line: 2, column: 48 }],
    );
    assert.deepEqual(wrong('"humanInputWebhook": {"authentication": {"strategy": "bearer"}}'), [
      { kind: "missingPart", name: "url", line: 2, column: 1 },
    ]);
  });

  it("are reported by line and column if the form has no place for them", () => {
    assert.deepEqual(faultOf('"crewWebhookUrl": 7'), wrongType("crewWebhookUrl", "text", 1, 34));
    assert.deepEqual(
      faultOf('"humanInputWebhook": "https://a.test"'),
      wrongType("humanInputWebhook", "object", 1, 37),
    );
    assert.deepEqual(
      faultOf('"webhooks": {"events": ["a", 1]}'),
      wrongType("events", "names", 1, 39),
    );
    assert.deepEqual(
      faultOf('"webhooks": {"realtime": "yes"}'),
      wrongType("realtime", "trueOrFalse", 1, 41),
    );
    assert.deepEqual(faultOf('"webhooks": {"headers": {}}'), {
      kind: "otherPart",
      name: "headers",
      line: 1,
      column: 29,
    });
    assert.deepEqual(
      faultOf('"webhooks": {"authentication": {"strategy": "basic", "username": "me"}}'),
      { kind: "wrongStrategy", wanted: ["bearer"], line: 1, column: 60 },
    );
    assert.deepEqual(faultOf('"humanInputWebhook": {"authentication": {"token": "hush"}}'), {
      kind: "wrongStrategy",
      wanted: ["bearer", "basic"],
      line: 1,
      column: 38,
    });
    assert.deepEqual(
      faultOf('"humanInputWebhook": {"authentication": {"strategy": "basic", "token": "hush"}}'),
      { kind: "otherPart", name: "token", line: 1, column: 78 },
    );
    assert.deepEqual(
      faultOf(
        '"humanInputWebhookUrl": "https://a.test", "humanInputWebhook": {"url": "https://a.test"}',
      ),
      { kind: "sameCallback", name: "humanInputWebhookUrl", line: 1, column: 16 },
    );
    assert.deepEqual(faultOf('"webhooks": {"url": "", "url": ""}'), {
      kind: "twice",
      name: "url",
      line: 1,
      column: 40,
    });
  });
});
