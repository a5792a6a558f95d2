import { asArray, asObject, isObject, parseJson, type UnknownObject } from "../base/json.ts";

/** A response of the endpoint that is an error, as OpenAI's API reports one. Read by the crew's author, in English as all of the API. */
export class ChatError extends Error {
  override readonly name = "ChatError";
  readonly status: number;
  readonly type: string;
  readonly code: string | null;

  constructor(status: number, type: string, code: string | null, message: string) {
    super(message);
    this.status = status;
    this.type = type;
    this.code = code;
  }
}

function invalid(message: string): ChatError {
  return new ChatError(400, "invalid_request_error", null, message);
}

export type ChatPart =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "call";
      readonly id: string;
      readonly name: string;
      readonly input: UnknownObject;
    }
  | { readonly kind: "result"; readonly id: string; readonly text: string };

export interface ChatMessage {
  readonly role: "user" | "assistant";
  readonly parts: readonly ChatPart[];
}

interface ChatTool {
  readonly name: string;
  readonly description: string;
  readonly schema: UnknownObject;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  readonly mustCallTool: boolean;
  readonly isStream: boolean;
  readonly hasUsageAtEnd: boolean;
  /** The answer ends before the first of these texts. */
  readonly stop: readonly string[];
  /** As they came, such as `temperature`; each model knows its own. */
  readonly options: UnknownObject;
}

const optionNames = [
  "frequency_penalty",
  "max_completion_tokens",
  "max_tokens",
  "presence_penalty",
  "reasoning_effort",
  "seed",
  "stop",
  "temperature",
  "top_p",
];

/** Reads the body of `POST /v1/chat/completions` (OpenAI's API reference, "Create chat completion"). @throws ChatError */
export function readChatRequest(body: string): ChatRequest {
  const request = parseJson(body);
  if (!isObject(request)) throw invalid("The body must be a JSON object.");
  const { n, stop, stream, stream_options: streamOptions } = request;
  if (typeof n === "number" && n > 1)
    throw invalid("“n” must be 1: VS Code's models give one answer.");
  const list = request["messages"];
  if (!Array.isArray(list) || list.length === 0)
    throw invalid("“messages” must be a list of at least one message.");
  const format = formatMessage(request["response_format"]);
  const tools = asArray(request["tools"]).map(readTool);
  return {
    messages: merged([...list.map(readMessage), ...(format === undefined ? [] : [format])]),
    ...chosenTools(tools, request["tool_choice"] ?? undefined),
    isStream: stream === true,
    hasUsageAtEnd: asObject(streamOptions)["include_usage"] === true,
    stop: (typeof stop === "string" ? [stop] : asArray(stop)).filter(
      (text): text is string => typeof text === "string" && text !== "",
    ),
    options: Object.fromEntries(
      optionNames.flatMap((name) => {
        const value = request[name] ?? undefined;
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  };
}

function readMessage(message: unknown, index: number): ChatMessage {
  const at = `messages[${index}]`;
  const { role, content, tool_call_id: id, tool_calls: calls } = asObject(message);
  switch (role) {
    // VS Code's models have no role for these.
    case "system":
    case "developer":
    case "user":
      return { role: "user", parts: readContent(content, at) };
    case "tool":
      if (typeof id !== "string") throw invalid(`“${at}.tool_call_id” must be a string.`);
      return {
        role: "user",
        parts: [{ kind: "result", id, text: readContent(content, at).map(textOf).join("") }],
      };
    case "assistant":
      return {
        role: "assistant",
        parts: [
          ...readContent(content, at),
          ...asArray(calls).map((call, number) => readCall(call, `${at}.tool_calls[${number}]`)),
        ],
      };
    default:
      throw invalid(`“${at}.role” must be system, developer, user, assistant or tool.`);
  }
}

function readContent(content: unknown, at: string): readonly ChatPart[] {
  if (content === null || content === undefined || content === "") return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  if (!Array.isArray(content))
    throw invalid(`“${at}.content” must be a string or a list of parts.`);
  return content.map((part) => {
    const { type, text, refusal } = asObject(part);
    const value = type === "refusal" ? refusal : text;
    if (typeof value !== "string")
      throw invalid(
        `“${at}.content” has a part of the type ${JSON.stringify(type ?? null)}. VS Code's models take only text here.`,
      );
    return { kind: "text", text: value };
  });
}

function readCall(call: unknown, at: string): ChatPart {
  const { id, function: called } = asObject(call);
  const { name, arguments: text } = asObject(called);
  if (typeof id !== "string" || typeof name !== "string")
    throw invalid(`“${at}” must have an id and a function with a name.`);
  const input = (text ?? "") === "" ? {} : parseJson(typeof text === "string" ? text : "");
  if (!isObject(input)) throw invalid(`“${at}.function.arguments” must be a JSON object as text.`);
  return { kind: "call", id, name, input };
}

function readTool(tool: unknown, index: number): ChatTool {
  const { type, function: described } = asObject(tool);
  const { name, description, parameters } = asObject(described);
  if (type !== "function" || typeof name !== "string" || name === "")
    throw invalid(`“tools[${index}]” must be of the type function, with a name.`);
  return {
    name,
    description: typeof description === "string" ? description : "",
    schema: asObject(parameters),
  };
}

function chosenTools(
  tools: readonly ChatTool[],
  choice: unknown,
): Pick<ChatRequest, "tools" | "mustCallTool"> {
  if (choice === undefined || choice === "auto") return { tools, mustCallTool: false };
  if (choice === "none") return { tools: [], mustCallTool: false };
  if (choice === "required") {
    if (tools.length === 0) throw invalid("“tool_choice” is required, and “tools” is empty.");
    return { tools, mustCallTool: true };
  }
  const { name } = asObject(asObject(choice)["function"]);
  const chosen = tools.filter((tool) => tool.name === name);
  if (chosen.length === 0)
    throw invalid("“tool_choice” must be none, auto, required or one of the functions in “tools”.");
  return { tools: chosen, mustCallTool: true };
}

/** VS Code has no option for the form of an answer, so the model is asked for it. */
function formatMessage(format: unknown): ChatMessage | undefined {
  const { type, json_schema: described } = asObject(format);
  if (type !== "json_object" && type !== "json_schema") return undefined;
  const { schema } = asObject(described);
  const text =
    schema === undefined
      ? "Answer with one JSON object and nothing else: no explanation, no code fence."
      : `Answer with one JSON object that matches this JSON schema and nothing else: no explanation, no code fence.\n${JSON.stringify(schema)}`;
  return { role: "user", parts: [{ kind: "text", text }] };
}

/** The results of one message's calls belong into one message. Empty messages are left out. */
function merged(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const kept: ChatMessage[] = [];
  const isResult = (message: ChatMessage | undefined) =>
    message?.parts.every(({ kind }) => kind === "result") === true;
  for (const message of messages) {
    if (message.parts.length === 0) continue;
    const last = kept.at(-1);
    if (last !== undefined && isResult(last) && isResult(message))
      kept[kept.length - 1] = { role: "user", parts: [...last.parts, ...message.parts] };
    else kept.push(message);
  }
  if (kept.length === 0) throw invalid("All of “messages” are empty.");
  return kept;
}

function textOf(part: ChatPart): string {
  return part.kind === "text" ? part.text : "";
}
