import assert from "node:assert/strict";
import * as v from "valibot";
import { fromForm, parseSavedState } from "../../../src/kickoff/form/messages.ts";
import { initialValues } from "../../../src/kickoff/form/values.ts";

function parsed(raw: unknown) {
  const result = v.safeParse(fromForm, raw);
  return result.success ? result.output : undefined;
}

const id = "11111111-0000-4000-8000-000000000001";
const values = {
  ...initialValues([]),
  inputs: [{ name: "__proto__", mode: "text", text: "x" }],
};

describe("Messages of the kickoff form", () => {
  it("are read if they are valid", () => {
    const draft = { id, values };
    for (const message of [
      { type: "ready" },
      { type: "submit", draft },
      { type: "changed", draft },
      { type: "clear" },
      { type: "fillIn" },
      { type: "paste", text: "{}" },
      { type: "take", input: "__proto__" },
      { type: "secret", id, name: "streaming", text: "x" },
      { type: "act", kind: "hint", title: "Hide" },
    ])
      assert.deepEqual(parsed(message), message);
  });

  const wrong: readonly [string, unknown][] = [
    ["a text", "submit"],
    ["nothing", null],
    ["an unknown type", { type: "runCommand", command: "x" }],
    ["a submit without a draft", { type: "submit" }],
    ["an id that could name another file", { type: "submit", draft: { id: "../../x", values } }],
    [
      "an unknown mode",
      {
        type: "changed",
        draft: { id, values: { ...values, inputs: [{ name: "a", mode: "eval", text: "" }] } },
      },
    ],
    ["a text of a wrong type", { type: "changed", draft: { id, values: { ...values, meta: {} } } }],
    ["a secret of something else", { type: "secret", id, name: "token", text: "x" }],
  ];
  for (const [what, message] of wrong)
    it(`are refused: ${what}`, () => assert.equal(parsed(message), undefined));

  it("may be restored by VS Code after a reload", () => {
    const fields = [
      { name: "__proto__", required: true },
      { name: "days", type: "integer", default: 3 },
      { name: "tone", enum: ["a", null] },
    ];
    const state = { crew: "url:https://a.example", name: "A", fields };
    assert.deepEqual(parseSavedState(JSON.parse(JSON.stringify(state))), state);
    for (const raw of [undefined, null, {}, { crew: 1, name: "n" }])
      assert.equal(parseSavedState(raw), undefined);
  });

  it("drop a stray secret among the values", () => {
    const stray = {
      ...values,
      secrets: { streaming: "s3cret" },
      callbacks: { token: "s3cret" },
      humanInput: { strategy: "basic", password: "s3cret" },
    };
    const text = JSON.stringify(parsed({ type: "changed", draft: { id, values: stray } }));
    assert.doesNotMatch(text, /s3cret/);
  });
});
