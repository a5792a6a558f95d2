import assert from "node:assert/strict";
import * as v from "valibot";
import { fromForm, parseSavedState } from "../../../src/kickoff/form/messages.ts";

/** Undefined if invalid. */
function parsed(raw: unknown) {
  const result = v.safeParse(fromForm, raw);
  return result.success ? result.output : undefined;
}

const id = "11111111-0000-4000-8000-000000000001";
/** Values as the first version stored them. */
const old = {
  inputs: [{ name: "__proto__", mode: "text", text: "x" }],
  meta: "",
  callbacks: {
    taskWebhookUrl: "",
    stepWebhookUrl: "",
    crewWebhookUrl: "",
    humanInputWebhookUrl: "",
  },
};
const values = {
  ...old,
  restoreFromStateId: "",
  extra: "",
  humanInput: { strategy: "none", username: "" },
  streaming: { url: "", events: "", realtime: false, strategy: "none" },
};

describe("Messages of the kickoff form", () => {
  it("are read if they are valid", () => {
    const draft = { id, values };
    for (const message of [
      { type: "ready" },
      { type: "submit", draft },
      { type: "changed", draft },
      { type: "clear" },
      { type: "tool", tool: "fillIn" },
      { type: "paste", text: "{}" },
      { type: "take", input: "__proto__" },
      { type: "secret", name: "streaming", target: "bearer https://a.test", text: "x" },
      { type: "act", index: 0 },
    ]) {
      assert.deepEqual(parsed(message), message);
    }
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
    ["an unknown tool", { type: "tool", tool: "__proto__" }],
    ["a secret of something else", { type: "secret", name: "token", target: "", text: "x" }],
    ["an invalid index", { type: "act", index: -1 }],
  ];
  for (const [what, message] of wrong) {
    it(`are refused: ${what}`, () => assert.equal(parsed(message), undefined));
  }

  it("may be restored by VS Code after a reload", () => {
    const controls = [{ kind: "number" }, { kind: "choice", choices: ['"a"', "null"] }];
    const plain = {
      name: "__proto__",
      required: true,
      listed: true,
      initial: { mode: "text", text: "" },
    };
    const fields = [
      { ...plain, isOdd: true },
      ...controls.map((control) => ({ ...plain, control, hasDefault: true })),
    ];
    const state = { crew: "url:https://a.example", name: "A", fields };
    assert.deepEqual(parseSavedState(JSON.parse(JSON.stringify(state))), state);
    assert.deepEqual(parseSavedState({ crew: "c", name: "n" }), { crew: "c", name: "n" });
    for (const raw of [undefined, null, {}, { crew: 1, name: "n" }])
      assert.equal(parseSavedState(raw), undefined);
  });

  it("may be from an earlier version", () => {
    const draft = { id, values: { ...old, json: '{"inputs": ' }, isCut: true };
    const read = { id, values };
    const state = { crew: "c", name: "n" };
    assert.deepEqual(parseSavedState({ ...state, draft }), state);
    assert.deepEqual(parsed({ type: "changed", draft }), { type: "changed", draft: read });
  });

  it("have values as typed, even an invalid address or text: what is stored is decided elsewhere", () => {
    const typed = {
      ...values,
      callbacks: {
        ...values.callbacks,
        taskWebhookUrl: "https://relay.test/cb?to=https://key@a.test/42",
        crewWebhookUrl: "https://me:pw@a.test",
      },
    };
    const message = { type: "submit", draft: { id, values: typed } };
    assert.deepEqual(parsed(message), message);
  });

  it("drop a stray secret among the values", () => {
    const stray = {
      ...values,
      secrets: { streaming: "s3cret" },
      humanInput: { ...values.humanInput, password: "s3cret" },
      streaming: { ...values.streaming, token: "s3cret" },
    };
    assert.doesNotMatch(
      JSON.stringify(parsed({ type: "changed", draft: { id, values: stray } })),
      /s3cret/,
    );
  });
});
