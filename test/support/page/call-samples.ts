import type { JsonObject } from "../../../src/base/json.ts";

const lookup = {
  name: "lookup",
  description: "Finds teas.",
  parameters: { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] },
};
const system = "You are Researcher on tea. You know them all.\nYour personal goal is: Find teas";
const asked = "\nCurrent Task: Name two teas.\n\nThis is the expected criteria: two lines";
const given = { topic: "tea", most: 2 };
const found = "Assam: 4 minutes\nSencha: 2 minutes";
const thought = "I should look up teas first.";
const said = "# Two teas\n\n- Assam\n- Sencha";
const id = "call_7";

const events = (...all: readonly object[]) =>
  all.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("");

type Bodies = Readonly<Record<"request" | "response", unknown>>;

/** One conversation as each API has it: its first request with a call of a tool as the answer, and its last one. By the ends of their paths. */
export const sampleCalls: Readonly<Record<string, readonly [Bodies, Bodies]>> = {
  "chat/completions": chat(),
  responses: responses(),
  messages: messages(),
  "models/gemini-2.5-flash:generateContent": google(),
};

function chat(): readonly [Bodies, Bodies] {
  const model = "gpt-4o-mini";
  const tools = [{ type: "function", function: lookup }];
  const tool_calls = [
    { id, type: "function", function: { name: "lookup", arguments: JSON.stringify(given) } },
  ];
  const first = [
    { role: "system", content: system },
    { role: "user", content: asked },
  ];
  const called = { role: "assistant", content: thought, tool_calls };
  const answer = (message: object, finish_reason: string) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    model: "gpt-4o-mini-2024-07-18",
    choices: [{ index: 0, message, finish_reason, logprobs: null }],
    usage: { prompt_tokens: 410, completion_tokens: 32, total_tokens: 442 },
  });
  const last = [
    ...first,
    called,
    { role: "tool", tool_call_id: id, name: "lookup", content: found },
  ];
  return [
    { request: { model, messages: first, tools }, response: answer(called, "tool_calls") },
    {
      request: { model, messages: last, tools },
      response: answer({ role: "assistant", content: said, refusal: null }, "stop"),
    },
  ];
}

function responses(): readonly [Bodies, Bodies] {
  const model = "gpt-5-mini";
  const tools = [{ type: "function", ...lookup }];
  const first = [{ role: "user", content: asked }];
  const called = [
    { id: "rs_1", type: "reasoning", summary: [] },
    {
      ...{ id: "msg_1", type: "message", role: "assistant" },
      content: [{ type: "output_text", text: thought, annotations: [] }],
    },
    {
      ...{ id: "fc_1", type: "function_call", call_id: id, name: "lookup" },
      arguments: JSON.stringify(given),
    },
  ];
  const answer = (output: readonly object[]) => ({
    id: "resp_1",
    object: "response",
    status: "completed",
    model,
    output,
    text: { format: { type: "text" } },
    usage: { input_tokens: 410, output_tokens: 32, total_tokens: 442 },
  });
  const last = [...first, ...called, { type: "function_call_output", call_id: id, output: found }];
  const content = [{ type: "output_text", text: said, annotations: [] }];
  const message = { id: "msg_2", type: "message", role: "assistant", content };
  return [
    { request: { model, instructions: system, input: first, tools }, response: answer(called) },
    {
      request: { model, instructions: system, input: last, tools },
      response: events(
        { type: "response.created", response: { ...answer([]), status: "in_progress" } },
        { type: "response.output_text.delta", item_id: "msg_2", delta: "# Two" },
        { type: "response.completed", response: answer([message]) },
      ),
    },
  ];
}

function messages(): readonly [Bodies, Bodies] {
  const { parameters, ...about } = lookup;
  const common = {
    model: "claude-sonnet-4-6",
    system: [{ type: "text", text: system }],
    tools: [{ ...about, input_schema: parameters }],
  };
  const first = [{ role: "user", content: [{ type: "text", text: asked }] }];
  const called = [
    { type: "text", text: thought },
    { type: "tool_use", id, name: "lookup", input: given },
  ];
  const result = { type: "tool_result", tool_use_id: id, content: [{ type: "text", text: found }] };
  const last = [
    ...first,
    { role: "assistant", content: called },
    { role: "user", content: [result] },
  ];
  const usage = { input_tokens: 10, cache_read_input_tokens: 400, output_tokens: 32 };
  const start = { type: "message", role: "assistant", content: [], stop_reason: null };
  const piece = (index: number, delta: object) => ({ type: "content_block_delta", index, delta });
  const text = (each: string) => piece(0, { type: "text_delta", text: each });
  const json = (partial_json: string) => piece(1, { type: "input_json_delta", partial_json });
  return [
    {
      request: { ...common, messages: first, stream: true },
      response: events(
        { type: "message_start", message: { ...start, usage: { ...usage, output_tokens: 1 } } },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        ...[text("I should look up teas"), { type: "ping" }, text(" "), text("first.")],
        { type: "content_block_stop", index: 0 },
        { type: "content_block_start", index: 1, content_block: { ...called[1], input: {} } },
        ...[json(""), json('{"topic": "tea", '), json('"most": 2}')],
        { type: "message_delta", delta: { stop_reason: "tool_use" }, usage },
      ),
    },
    {
      request: { ...common, messages: last },
      response: {
        ...{ ...start, content: [{ type: "text", text: said }] },
        ...{ stop_reason: "end_turn", usage },
      },
    },
  ];
}

function google(): readonly [Bodies, Bodies] {
  const common = {
    systemInstruction: { parts: [{ text: system }], role: "user" },
    tools: [{ functionDeclarations: [lookup] }],
  };
  const first = [{ parts: [{ text: asked }], role: "user" }];
  const call = { functionCall: { name: "lookup", args: given } };
  const usageMetadata = { promptTokenCount: 410, candidatesTokenCount: 30, thoughtsTokenCount: 2 };
  const answer = (parts: readonly object[], finishReason?: string) => ({
    candidates: [{ content: { parts, role: "model" }, finishReason }],
    usageMetadata,
  });
  const last = [
    ...first,
    { parts: [{ text: thought }, call], role: "model" },
    {
      parts: [{ functionResponse: { name: "lookup", response: { result: found } } }],
      role: "user",
    },
  ];
  return [
    {
      request: { ...common, contents: first },
      response: answer([{ text: thought }, call], "STOP"),
    },
    {
      request: { ...common, contents: last },
      response: events(
        answer([{ text: "# Two teas\n\n- Assam" }]),
        answer([{ text: "\n- Sencha" }], "STOP"),
      ),
    },
  ];
}

/** As a service gives a kept call. */
export function aKeptCall(more: JsonObject = {}): JsonObject {
  const [, last] = chat();
  return {
    ...{ kind: "model", name: "chat/completions", at: 0, seconds: 36, status: 200, isCut: false },
    ...{ usage: { prompt_tokens: 410, completion_tokens: 32 } },
    ...(JSON.parse(JSON.stringify(last)) as JsonObject),
    ...more,
  };
}
