import assert from "node:assert/strict";
import { conversationOf, conversationText } from "../../../src/view/conversation.ts";
import { sampleCalls } from "../../support/page/call-samples.ts";

/** The texts by their headings. */
const textsOf = (entries: ReturnType<typeof conversationOf>["asked"]) =>
  entries.map(({ role, name, text }) => [[role, name].filter(Boolean).join(" "), text.trim()]);

describe("A call of a model", () => {
  const system = [
    "system",
    "You are Researcher on tea. You know them all.\nYour personal goal is: Find teas",
  ];
  const user = ["user", "Current Task: Name two teas.\n\nThis is the expected criteria: two lines"];
  const called = [
    ["assistant", "I should look up teas first."],
    ["tool call lookup", '{\n  "topic": "tea",\n  "most": 2\n}'],
  ];
  const found = "Assam: 4 minutes\nSencha: 2 minutes";
  const ends: Readonly<Record<string, readonly string[]>> = {
    "chat/completions": ["tool_calls", "stop"],
    responses: ["completed", "completed"],
    messages: ["tool_use", "end_turn"],
  };

  for (const [name, [first, last]] of Object.entries(sampleCalls))
    it(`is read as a conversation: ${name}`, () => {
      const one = conversationOf(first.request, first.response);
      assert.deepEqual(textsOf(one.asked), [system, user]);
      assert.deepEqual(textsOf(one.answered), called);
      const [tool, ...more] = one.tools;
      assert.deepEqual([tool?.name, more], ["lookup", []]);
      assert.match(tool?.text ?? "", /^Finds teas\.\n\n\{\n {2}"type": "object"/);
      const other = conversationOf(last.request, last.response);
      const result = textsOf(other.asked).at(-1);
      const isJson = name.startsWith("models/");
      assert.deepEqual(textsOf(other.asked).slice(0, -1), [system, user, ...called]);
      assert.deepEqual(result, [
        "tool result lookup",
        isJson ? JSON.stringify({ result: found }, undefined, 2) : found,
      ]);
      assert.deepEqual(textsOf(other.answered), [["assistant", "# Two teas\n\n- Assam\n- Sencha"]]);
      assert.deepEqual([one.finish, other.finish], ends[name] ?? ["STOP", "STOP"]);
    });

  it("that was streamed in pieces has whole texts and arguments", () => {
    const pieces = [
      { role: "assistant", content: "" },
      { content: "Two" },
      { content: " " },
      { content: "teas" },
      {
        tool_calls: [
          { index: 0, id: "c", type: "function", function: { name: "save", arguments: "" } },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: "[1]}" } }] },
      {},
    ].map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }], usage: null }));
    const usage = { prompt_tokens: 5, completion_tokens: 2 };
    const ends = [
      { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
      { choices: [], usage },
    ];
    const text = [...pieces, ...ends].map((each) => `data: ${JSON.stringify(each)}\n\n`).join("");
    const { answered, finish } = conversationOf({}, `${text}data: [DONE]\n\n`);
    assert.deepEqual(textsOf(answered), [
      ["assistant", "Two teas"],
      ["tool call save", '{\n  "a": [\n    1\n  ]\n}'],
    ]);
    assert.equal(finish, "tool_calls");
  });

  it("of another shape is JSON, and a cut one the text that is left", () => {
    const error = { error: { message: "No such model" } };
    const { asked, answered } = conversationOf({ a: 1 }, error);
    assert.deepEqual(textsOf(asked), [["request", '{\n  "a": 1\n}']]);
    assert.deepEqual(textsOf(answered), [["answer", JSON.stringify(error, undefined, 2)]]);
    assert.deepEqual(textsOf(conversationOf('{"messages": [', undefined).asked), [
      ["request", '{"messages": ['],
    ]);
    for (const odd of [
      null,
      7,
      [],
      [[{}]],
      { messages: 7, tools: {} },
      { messages: [{ role: [] }] },
    ])
      assert.doesNotThrow(() => conversationText(conversationOf(odd, odd)));
  });

  it("shows a part that isn't known as JSON, without a picture's data", () => {
    const url = `data:image/png;base64,${"A".repeat(100_000)}`;
    const content = [
      { type: "image_url", image_url: { url } },
      { type: "text", text: "What is it?" },
    ];
    const { asked } = conversationOf({ messages: [{ role: "user", content }] }, undefined);
    assert.deepEqual(
      asked.map(({ role }) => role),
      ["user", "user"],
    );
    assert.match(asked[0]?.text ?? "", /"url": "data:image\/png;base64,A{100,}…"/);
  });

  it("has what was added since the last one as the only difference of their texts", () => {
    const [first = "", last = ""] = sampleCalls["chat/completions"]!.map(({ request, response }) =>
      conversationText(conversationOf(request, response)),
    );
    assert.ok(first !== "" && last.startsWith(first));
    assert.match(
      last.slice(first.length),
      /^\n# tool result: lookup\n\nAssam.*# assistant\n\n# Two/s,
    );
  });
});
