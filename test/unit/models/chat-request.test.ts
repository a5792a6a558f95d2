import assert from "node:assert/strict";
import { ChatError, readChatRequest } from "../../../src/models/chat-request.ts";

const user = { role: "user", content: "Hello" };
const read = (body: object) => readChatRequest(JSON.stringify({ messages: [user], ...body }));

describe("a request to the endpoint for VS Code's models", () => {
  it("has the messages in VS Code's roles, with the results of one message's calls together", () => {
    const call = (id: string) => ({ id, function: { name: "look", arguments: "" } });
    const { messages } = read({
      messages: [
        { role: "developer", content: "Be brief" },
        { role: "user", content: "" },
        user,
        { role: "assistant", tool_calls: [call("a"), call("b")] },
        { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "1" }] },
        { role: "tool", tool_call_id: "b", content: "2" },
        { role: "assistant", content: [{ type: "refusal", refusal: "No" }] },
      ],
    });
    assert.deepEqual(messages, [
      { role: "user", parts: [{ kind: "text", text: "Be brief" }] },
      { role: "user", parts: [{ kind: "text", text: "Hello" }] },
      {
        role: "assistant",
        parts: [
          { kind: "call", id: "a", name: "look", input: {} },
          { kind: "call", id: "b", name: "look", input: {} },
        ],
      },
      {
        role: "user",
        parts: [
          { kind: "result", id: "a", text: "1" },
          { kind: "result", id: "b", text: "2" },
        ],
      },
      { role: "assistant", parts: [{ kind: "text", text: "No" }] },
    ]);
  });

  it("asks for the form of the answer in a message", () => {
    const schema = { type: "object", properties: { city: { type: "string" } } };
    const { messages } = read({
      response_format: { type: "json_schema", json_schema: { name: "Reading", schema } },
    });
    assert.equal(messages.length, 2);
    assert.match(JSON.stringify(messages[1]), /matches this JSON schema.*city/);
    assert.match(
      JSON.stringify(read({ response_format: { type: "json_object" } }).messages[1]),
      /one JSON object/,
    );
    assert.equal(read({ response_format: { type: "text" } }).messages.length, 1);
  });

  it("keeps the options that models know, and reads null as not given", () => {
    const request = read({ temperature: 0, top_p: null, stop: "END", user: "me", stream: null });
    assert.deepEqual(request.options, { temperature: 0, stop: "END" });
    assert.deepEqual(request.stop, ["END"]);
    assert.equal(request.isStream, false);
    assert.equal(request.hasUsageAtEnd, false);
  });

  it("is refused with what is wrong", () => {
    const tools = [{ type: "function", function: { name: "look" } }];
    for (const [body, message] of [
      ["no JSON", /must be a JSON object/],
      ["[]", /must be a JSON object/],
      [{ messages: "Hello" }, /“messages” must be a list/],
      [{ messages: [{ role: "user", content: "" }] }, /All of “messages” are empty/],
      [{ messages: [{ role: "pirate", content: "x" }] }, /messages\[0\]\.role/],
      [{ messages: [{ role: "user", content: [{ type: "image_url" }] }] }, /take only text/],
      [{ tools: [{}] }, /tools\[0\]/],
      [{ messages: [{ role: "user", content: 1 }] }, /messages\[0\]\.content” must be a string/],
      [{ messages: [{ role: "tool", content: "x" }] }, /tool_call_id/],
      [{ messages: [{ role: "assistant", tool_calls: [{ id: "a" }] }] }, /a function with a name/],
      [
        {
          messages: [
            {
              role: "assistant",
              tool_calls: [{ id: "a", function: { name: "b", arguments: "[" } }],
            },
          ],
        },
        /arguments” must be a JSON object/,
      ],
      [{ tools, tool_choice: { type: "function", function: { name: "hear" } } }, /one of the func/],
      [{ tool_choice: "required" }, /“tools” is empty/],
    ] as const)
      assert.throws(
        () => (typeof body === "string" ? readChatRequest(body) : read(body)),
        (error) =>
          error instanceof ChatError && error.status === 400 && message.test(error.message),
        String(message),
      );
  });
});
