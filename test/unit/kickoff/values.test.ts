import assert from "node:assert/strict";
import { type FieldMode, formFields } from "../../../src/kickoff/form/fields.ts";
import {
  alignValues,
  fillIn,
  type FormValues,
  initialValues,
  keptValues,
  readForm,
  requestOf,
} from "../../../src/kickoff/form/values.ts";
import { authenticated, valuesOf } from "./support.ts";
import { addressFault, keptAddress } from "../../../src/kickoff/callbacks.ts";

const toRequest = (...given: Parameters<typeof readForm>) => readForm(...given).values;
const fieldsFor = (...names: string[]) => formFields({ fields: names.map((name) => ({ name })) });

function typed(
  inputs: readonly (readonly [string, FieldMode, string])[],
  rest: Partial<FormValues> = {},
): FormValues {
  const typed = inputs.map(([name, mode, text]) => ({ name, mode, text }));
  return { ...initialValues([]), inputs: typed, ...rest };
}

describe("Values of the kickoff form", () => {
  it("send any name as a property of its own, __proto__ included", () => {
    const names = ["__proto__", "constructor", "toString", 'a "quoted": name', ""];
    const texts = names.map((name) => [name, "text", `value of ${name}`] as const);
    const { inputs = {} } = toRequest(fieldsFor(...names), typed(texts));
    assert.deepEqual(Object.keys(inputs), names);
    const sent: unknown = JSON.parse(JSON.stringify(inputs));
    assert.deepEqual(
      Object.entries(sent as object),
      names.map((name) => [name, `value of ${name}`]),
    );
    assert.equal(Object.getPrototypeOf(inputs), Object.prototype);
  });

  it("follow the crew's fields: new ones get their initial value, removed ones are dropped", () => {
    const values = typed([
      ["old", "text", "x"],
      ["kept", "json", "1"],
    ]);
    assert.deepEqual(alignValues(fieldsFor("kept", "new"), values).inputs, [
      { name: "kept", mode: "json", text: "1" },
      { name: "new", mode: "text", text: "" },
    ]);
  });

  it("are filled in from given ones, which are sent unchanged", () => {
    const given = {
      inputs: JSON.parse(
        '{"topic": "Rome", "days": 3, "note": "", "__proto__": ["x"], "extra": true}',
      ) as Record<string, never>,
      meta: { a: 1 },
      stepWebhookUrl: "https://a.example/s",
    };
    const texts = { topic: "Paris", untouched: "stays" };
    const before = valuesOf(texts, { taskWebhookUrl: "https://a.example/t" });
    const listed = fieldsFor("topic", "days", "note", "untouched");
    const { fields, values } = fillIn(listed, before, given);
    assert.deepEqual(
      fields.map(({ name, isUnlisted }) => (isUnlisted ? `unlisted ${name}` : name)),
      ["topic", "days", "note", "untouched", "unlisted __proto__", "unlisted extra"],
    );
    const request = toRequest(fields, values);
    assert.deepEqual(Object.entries(request.inputs ?? {}), [
      ["topic", "Rome"],
      ["days", 3],
      ["note", ""],
      ["untouched", "stays"],
      ["__proto__", ["x"]],
      ["extra", true],
    ]);
    const others = [request.meta, request.taskWebhookUrl, request.stepWebhookUrl];
    assert.deepEqual(others, [{ a: 1 }, "https://a.example/t", "https://a.example/s"]);
  });

  it("are left out, empty or null, which are three different things", () => {
    const fields = fieldsFor("omitted", "empty", "nothing", "blank");
    const values = typed([
      ["omitted", "omit", "x"],
      ["empty", "json", '""'],
      ["nothing", "json", "null"],
      ["blank", "text", ""],
    ]);
    assert.deepEqual(toRequest(fields, values), { inputs: { empty: "", nothing: null } });
    assert.deepEqual(
      fillIn(fields, initialValues(fields), {
        inputs: { empty: "", nothing: null },
      }).values.inputs.map(({ mode, text }) => `${mode} ${text}`),
      ["text ", 'json ""', "json null", "text "],
    );
  });

  it("have the crew's types and defaults", () => {
    const fields = formFields({
      fields: [
        { name: "days", type: "integer", default: 3 },
        { name: "price", type: "number" },
        { name: "isBusiness", type: "boolean" },
        { name: "tone", enum: ["formal", 1, null], default: null },
        { name: "gone", enum: ["a"] },
      ],
    });
    const values = typed([
      ["price", "json", "12.50"],
      ["isBusiness", "json", "true"],
      ["gone", "json", '"no longer offered"'],
    ]);
    assert.deepEqual(toRequest(fields, alignValues(fields, values)), {
      inputs: { days: 3, price: 12.5, isBusiness: true, tone: null, gone: "no longer offered" },
    });
    const given = { days: "three", price: 2, isBusiness: false, tone: "formal", gone: "b" };
    const filled = fillIn(fields, values, { inputs: given });
    const inputs = filled.values.inputs.map(({ mode, text }) => `${mode} ${text}`);
    assert.deepEqual(inputs, ["text three", "json 2", "json false", 'json "formal"', "text b"]);
    assert.deepEqual(toRequest(fields, filled.values).inputs, given);
  });

  it("say how callbacks authenticate, and hold no secret", () => {
    const given = authenticated({ password: "s3cret" }, { token: "s3cret" });
    const { fields, values } = fillIn([], initialValues([]), given);
    assert.doesNotMatch(JSON.stringify(values), /s3cret/);
    const read = readForm(fields, values).values;
    assert.deepEqual(read, { inputs: {}, ...authenticated({}, {}) });
    const sent = requestOf(read, { humanInput: "s3cret", streaming: "s3cret" });
    assert.deepEqual(sent, { inputs: {}, ...given });
    const plain = fillIn([], values, { humanInputWebhookUrl: "https://b.example/" });
    assert.equal(toRequest([], plain.values).humanInputWebhookUrl, "https://b.example/");
  });
});

describe("What is stored of an address", () => {
  it("is without its name and password", () => {
    for (const secret of ["hush", "p'whush", 'p"whush', "p whush", "a:hush", "%68hush"]) {
      assert.ok(addressFault(`https://me:${secret}@a.test/x`));
      const address = ` https://me:${secret}@a.test/x?y=z@w#v`;
      assert.equal(keptAddress(address), "https://a.test/x?y=z@w#v");
    }
    const taskWebhookUrl = "https://me:hush@a.test/t";
    const typed = { ...initialValues([]), taskWebhookUrl, streamingUrl: "http://hush@a.test" };
    const kept = { taskWebhookUrl: "https://a.test/t", streamingUrl: "http://a.test/" };
    assert.deepEqual(keptValues(typed), { ...typed, ...kept });
  });

  it("is nothing if it is invalid, because these can't be distinguished from the rest", () => {
    for (const typed of [
      ...["https://me:a/hush@a.test", "https://me:p\\hush@a.test", "me:hush@a.test"],
      ...["ftp://me:hush@a.test", "https:/me:hush@a.test", "https://me:hush@"],
    ])
      assert.equal(keptAddress(typed), "");
  });

  it("is the unchanged address if it has none, even if it is incomplete", () => {
    for (const typed of [
      ...["", "a.test", " https://a.test ", "https://a.test/@me"],
      "https://relay.test/cb?to=https://key@a.test/42",
    ])
      assert.equal(keptAddress(typed), typed);
  });
});
