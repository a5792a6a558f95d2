import {
  asArray,
  asObject,
  defined,
  isObject,
  laidOut,
  parseJson,
  readable,
  textAt,
  type UnknownObject,
} from "../base/json.ts";
import { jsonText } from "./markdown.ts";

export interface Entry {
  /** In the API's own word. */
  readonly role: string;
  readonly name?: string;
  readonly text: string;
}

export type Conversation = ReturnType<typeof conversationOf>;

/**
 * A call of a model: OpenAI's chat completions and responses, Anthropic's messages and Google's contents. Each part is known by its own
 * members; what isn't known is JSON. An answer that was streamed is a text with an event in each line.
 */
export function conversationOf(asked: unknown, answer: unknown) {
  const request = asObject(asked);
  const lines = typeof answer === "string" ? answer.match(/^data: ?\{.*$/gm) : null;
  const events = lines?.map((line) => parseJson(line.slice("data:".length))) ?? [answer];
  const parts = events.map(asObject).map(partOf);
  const system = request["system"] ?? request["instructions"] ?? request["systemInstruction"];
  const messages = request["messages"] ?? request["contents"] ?? request["input"];
  const names = new Map<string, string>();
  const question = [
    ...entriesIn(asObject(system)["parts"] ?? system, "system", names),
    ...entriesIn(messages, "user", names),
  ];
  const answers = parts.flatMap(({ said }) => entriesIn(said, "assistant", names));
  return {
    tools: asArray(request["tools"]).flatMap(toolsIn),
    asked: question.length > 0 ? question : whole("request", asked),
    answered: answers.length > 0 ? joined(answers) : whole("answer", answer),
    ...defined({ finish: parts.findLast(({ finish }) => finish !== undefined)?.finish }),
  };
}

export function conversationText({ tools, asked, answered }: Conversation): string {
  return [...tools, ...asked, ...answered]
    .map((entry) => `# ${headingOf(entry)}\n\n${entry.text}\n`)
    .join("\n");
}

export function headingOf({ role, name }: Entry): string {
  return name === undefined ? role : `${role}: ${name}`;
}

export function whole(role: string, value: unknown): readonly Entry[] {
  const text = readable(value);
  return text === undefined ? [] : [{ role, text }];
}

function partOf(event: UnknownObject) {
  const part = { ...event, ...asObject(event["message"] ?? event["response"]) };
  const choices = [...asArray(part["choices"]), ...asArray(part["candidates"])];
  const choice = asObject(choices[0]);
  const delta = asObject(part["delta"]);
  const isSaid = /^(text|thinking|input_json)_delta$/.test(String(delta["type"]));
  return {
    said: [
      ...[choice["message"] ?? choice["delta"] ?? choice["content"], part["output"]],
      ...[part["role"] === "assistant" && part["content"], part["content_block"], isSaid && delta],
    ],
    /** Why the model stopped, in its own word. */
    finish:
      textAt(choice, "finish_reason", "finishReason") ??
      textAt({ ...part, ...delta }, "stop_reason", "status"),
  };
}

/** @param names of tools, by the IDs of their calls */
function entriesIn(part: unknown, role: string, names: Map<string, string>): readonly Entry[] {
  if (Array.isArray(part)) return part.flatMap((each) => entriesIn(each, role, names));
  // A piece of a streamed text may be a space.
  if (typeof part === "string" && part !== "") return [{ role, text: part }];
  if (!isObject(part) || Object.keys(part).length === 0) return [];
  const isCall = /^(function_call|tool_use|input_json_delta)$/.test(String(part["type"]));
  const call = part["functionCall"] ?? part["function"] ?? (isCall ? part : undefined);
  const tool = asObject(call ?? part["functionResponse"] ?? part);
  const name = textAt(tool, "name");
  const id = textAt(part, "tool_call_id", "tool_use_id", "call_id", "id") ?? "";
  if (call !== undefined) {
    if (name !== undefined) names.set(id, name);
    const given = tool["partial_json"] ?? tool["arguments"] ?? tool["input"] ?? tool["args"];
    return [{ role: "tool call", text: jsonIn(given), ...defined({ name }) }];
  }
  const own = roleIn(part) ?? role;
  if (own === "tool result") {
    const said = tool["content"] ?? tool["output"] ?? tool["response"];
    const texts = entriesIn(isObject(said) ? jsonIn(said) : said, "", names);
    const text = texts.map((each) => each.text).join("\n");
    return [{ role: own, text, ...defined({ name: name ?? names.get(id) }) }];
  }
  const thought = part["thinking"] ?? part["reasoning_content"] ?? part["summary"];
  const text = part["content"] ?? part["parts"] ?? part["text"] ?? part["refusal"];
  const calls = part["tool_calls"];
  if ([thought, text, calls, part["role"]].every((each) => each === undefined))
    return [{ role: own, text: jsonIn(part) }];
  return [
    ...entriesIn(thought, "thought", names),
    ...entriesIn(text, own, names),
    ...entriesIn(calls, own, names),
  ];
}

function roleIn({ role, type, thought, functionResponse }: UnknownObject): string | undefined {
  if (thought === true) return "thought";
  const isResult = role === "tool" || type === "tool_result" || type === "function_call_output";
  if (isResult || functionResponse !== undefined) return "tool result";
  // Google's word.
  return role === "model" ? "assistant" : typeof role === "string" ? role : undefined;
}

function toolsIn(tool: unknown): readonly Entry[] {
  const declared = asObject(tool)["functionDeclarations"];
  if (Array.isArray(declared)) return declared.flatMap(toolsIn);
  const own = asObject(asObject(tool)["function"] ?? tool);
  const schema = own["parameters"] ?? own["input_schema"] ?? own["parameters_json_schema"];
  const text = `${textAt(own, "description") ?? ""}\n\n${jsonIn(schema)}`;
  return [{ role: "tool", name: textAt(own, "name", "type") ?? "", text: text.trim() }];
}

/** What came in pieces is one, also a call, of which only the first piece has the name. */
function joined(entries: readonly Entry[]): readonly Entry[] {
  const all: Entry[] = [];
  for (const entry of entries) {
    const last = all.at(-1);
    if (last?.role !== entry.role || entry.name !== undefined) all.push(entry);
    else all.splice(-1, 1, { ...last, text: last.text + entry.text });
  }
  return all.map((entry) => ({ ...entry, text: jsonText(entry.text) ?? entry.text }));
}

function jsonIn(value: unknown = {}): string {
  if (typeof value === "string") return jsonText(value) ?? value;
  // The arguments of a call that is streamed follow.
  if (isObject(value) && Object.keys(value).length === 0) return "";
  // Nobody reads a picture's base64.
  const short = (_name: string, each: unknown) =>
    typeof each === "string" && each.length > 10_000 ? `${each.slice(0, 1_000)}…` : each;
  return laidOut(JSON.stringify(value, short));
}
