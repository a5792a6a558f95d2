import type { ServerResponse } from "node:http";
import { asArray, asObject, isObject, textAt, type UnknownObject } from "../../src/base/json.ts";
import { HttpServer, textOf } from "./http-server.ts";

/** A request to a model, as an OpenAI-compatible endpoint gets it. */
export interface ModelRequest {
  readonly model: string;
  readonly key: string;
  readonly prompt: string;
  readonly tools: readonly string[];
  readonly hasToolResult: boolean;
  readonly body: UnknownObject;
}

/** Text, or the call of a tool. */
export type ModelAnswer =
  string | { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> };

/** What the model of the tests says about each task of the project `weather`, and otherwise. */
export function weatherAnswer(
  { prompt, tools, hasToolResult }: Pick<ModelRequest, "prompt" | "tools" | "hasToolResult">,
  otherwise = "A text.",
): ModelAnswer {
  if (tools.includes("thermometer") && !hasToolResult)
    return { tool: "thermometer", arguments: { city: "Oslo" } };
  if (prompt.includes("Measure the temperature")) return '{"city": "Oslo", "degrees": 10}';
  if (prompt.includes("Write a headline"))
    return prompt.includes("Shorter") ? "Mild." : "It is mild in Oslo today.";
  return otherwise;
}

/** An OpenAI-compatible endpoint on this machine, with Anthropic's for texts, that answers as `answer` says, and keeps what it was asked. */
export async function startModelServer(
  answer: (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>,
) {
  const requests: ModelRequest[] = [];
  const server = new HttpServer((request, response) => {
    void (async () => {
      const body = asObject(JSON.parse(await textOf(request)));
      if (request.url?.endsWith("/embeddings") === true) {
        const inputs = Array.isArray(body["input"]) ? body["input"] : [body["input"]];
        const data = inputs.map((_, index) => ({
          object: "embedding",
          index,
          embedding: Array.from({ length: 1536 }, () => 0.01),
        }));
        sendJson(response, {
          object: "list",
          model: textAt(body, "model"),
          data,
          usage: { prompt_tokens: 1, total_tokens: 1 },
        });
        return;
      }
      const listed = (name: string) => asArray(body[name]).map(asObject);
      const [messages, tools] = [listed("messages"), listed("tools")];
      const asked: ModelRequest = {
        model: textAt(body, "model") ?? "",
        key: (request.headers.authorization ?? "").replace(/^Bearer /, ""),
        prompt: messages.map((message) => textAt(message, "content") ?? "").join("\n"),
        tools: tools.map((tool) => textAt(asObject(tool["function"]), "name") ?? ""),
        hasToolResult: messages.some((message) => message["role"] === "tool"),
        body,
      };
      requests.push(asked);
      const [address = ""] = (request.url ?? "").split("?");
      const make = address.endsWith("/responses")
        ? responseWith
        : address.endsWith("/messages") && messageWith;
      const made = await answer(asked);
      if (make && typeof made === "string") {
        sendJson(response, make(asked.model, made));
        return;
      }
      sendAnswer(response, asked.model, made, body["stream"] === true);
    })().catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  /** For OPENAI_BASE_URL. */
  const url = `${await server.start()}/v1`;
  return { url, requests, stop: () => server.stop() };
}

const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

function sendAnswer(
  response: ServerResponse,
  model: string,
  answer: ModelAnswer,
  isStream: boolean,
): void {
  const calls = isObject(answer)
    ? [
        {
          index: 0,
          id: "call_1",
          type: "function",
          function: { name: answer.tool, arguments: JSON.stringify(answer.arguments) },
        },
      ]
    : undefined;
  const message = {
    role: "assistant",
    content: typeof answer === "string" ? answer : null,
    ...(calls && { tool_calls: calls }),
  };
  const finish_reason = calls ? "tool_calls" : "stop";
  const head = { id: "chatcmpl-1", created: 1, model };
  if (!isStream) {
    const choices = [{ index: 0, message, finish_reason }];
    sendJson(response, { ...head, object: "chat.completion", choices, usage });
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const choices of [
    [{ index: 0, delta: message, finish_reason: null }],
    [{ index: 0, delta: {}, finish_reason }],
  ])
    response.write(
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices })}\n\n`,
    );
  response.write(
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [], usage })}\n\n`,
  );
  response.end("data: [DONE]\n\n");
}

const tokens = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };

/** Of OpenAI's Responses API. */
function responseWith(model: string, text: string): object {
  const content = [{ type: "output_text", text, annotations: [] }];
  const output = [
    { type: "message", id: "msg_1", status: "completed", role: "assistant", content },
  ];
  return {
    ...{ id: "resp_1", object: "response", created_at: 1, model, status: "completed", output },
    ...{ parallel_tool_calls: true, tool_choice: "auto", tools: [], usage: tokens },
  };
}

/** Of Anthropic's. */
function messageWith(model: string, text: string): object {
  return {
    ...{ id: "msg_1", type: "message", role: "assistant", model, stop_reason: "end_turn" },
    ...{ content: [{ type: "text", text }], usage: tokens },
  };
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}
