import * as v from "valibot";
import * as vscode from "vscode";
import { messageOf } from "../base/errors.ts";
import { isObject, parseJson, type UnknownObject } from "../base/json.ts";
import { hasApi, log } from "../editor/log.ts";

/** A response of the endpoint that is an error, as OpenAI's API reports one. Read by the crew's author, in English as all of the API. */
export class ChatError extends Error {
  override readonly name = "ChatError";
  readonly status: number;
  readonly code: string | null;

  constructor(status: number, message: string, code: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const onlyText = "VS Code's models take only text here.";
const content = v.pipe(
  v.nullish(v.union([v.string(), v.array(v.object({ text: v.string() }))], onlyText), ""),
  v.transform((given) =>
    typeof given === "string" ? given : given.map(({ text }) => text).join(""),
  ),
);
const call = v.object({
  id: v.string(),
  function: v.object({
    name: v.string(),
    arguments: v.pipe(
      v.nullish(v.string(), ""),
      v.transform((text) => (text === "" ? {} : parseJson(text))),
      v.custom<UnknownObject>(isObject, "It must be a JSON object as text."),
    ),
  }),
});
const tool = v.object({
  type: v.literal("function"),
  function: v.object({
    name: v.pipe(v.string(), v.nonEmpty()),
    description: v.nullish(v.string(), ""),
    parameters: v.nullish(v.record(v.string(), v.unknown()), {}),
  }),
});

/** OpenAI's API reference, "Create chat completion". */
const chatBody = v.object({
  messages: v.pipe(
    v.array(
      v.variant("role", [
        v.object({ role: v.picklist(["system", "developer", "user"]), content }),
        v.object({ role: v.literal("tool"), content, tool_call_id: v.string() }),
        v.object({
          role: v.literal("assistant"),
          content,
          tool_calls: v.nullish(v.array(call), []),
        }),
      ]),
    ),
    v.nonEmpty(),
  ),
  n: v.nullish(v.pipe(v.number(), v.maxValue(1, "VS Code's models give one answer.")), 1),
  stop: v.nullish(v.union([v.string(), v.array(v.string())]), []),
  stream: v.nullish(v.boolean(), false),
  stream_options: v.nullish(v.object({ include_usage: v.nullish(v.boolean(), false) })),
  tools: v.nullish(v.array(tool), []),
  tool_choice: v.nullish(
    v.union([
      v.picklist(["auto", "none", "required"]),
      v.object({ function: v.object({ name: v.string() }) }),
    ]),
    "auto",
  ),
  response_format: v.nullish(
    v.object({
      type: v.string(),
      json_schema: v.nullish(v.object({ schema: v.optional(v.unknown()) })),
    }),
  ),
});
type ChatBody = v.InferOutput<typeof chatBody>;

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

type ChatRequest = ReturnType<typeof readChatRequest>;

export function readChatRequest(text: string) {
  const raw = parseJson(text);
  if (!isObject(raw)) throw new ChatError(400, "The body must be a JSON object.");
  const result = v.safeParse(chatBody, raw, { abortEarly: true });
  if (!result.success) {
    const [issue] = result.issues;
    throw new ChatError(400, `“${v.getDotPath(issue) ?? ""}”: ${issue.message.slice(0, 300)}`);
  }
  const body = result.output;
  const { tools, mode } = chosenTools(body);
  const { stop } = body;
  return {
    messages: messagesIn(body),
    options: {
      justification: vscode.l10n.t("A crew that runs on this machine uses this model."),
      // As they came: each model knows its own.
      modelOptions: Object.fromEntries(
        optionNames.flatMap((name) => {
          const value = raw[name] ?? undefined;
          return value === undefined ? [] : [[name, value]];
        }),
      ),
      tools: tools.map(({ function: { name, description, parameters } }) => ({
        ...{ name, description, inputSchema: parameters },
      })),
      toolMode: mode,
    },
    isStream: body.stream,
    hasUsageAtEnd: body.stream_options?.include_usage === true,
    /** The answer ends before the first of these texts. */
    stop: (typeof stop === "string" ? [stop] : stop).filter((each) => each !== ""),
  };
}

/** The results of one message's calls belong into one message. Empty messages are left out. */
function messagesIn({ messages, response_format: format }: ChatBody) {
  const { Assistant, User } = vscode.LanguageModelChatMessageRole;
  const made: vscode.LanguageModelChatMessage[] = [];
  const add = (
    role: vscode.LanguageModelChatMessageRole,
    parts: vscode.LanguageModelInputPart[],
  ) => {
    if (parts.length > 0) made.push(new vscode.LanguageModelChatMessage(role, parts));
  };
  let results: vscode.LanguageModelToolResultPart[] = [];
  for (const message of messages) {
    const texts = message.content === "" ? [] : [new vscode.LanguageModelTextPart(message.content)];
    if (message.role === "tool") {
      results.push(new vscode.LanguageModelToolResultPart(message.tool_call_id, texts));
      continue;
    }
    add(User, results);
    results = [];
    if (message.role === "assistant") {
      const calls = message.tool_calls.map(
        ({ id, function: { name, arguments: input } }) =>
          new vscode.LanguageModelToolCallPart(id, name, input),
      );
      add(Assistant, [...texts, ...calls]);
    }
    // VS Code's models have no role for a system or a developer.
    else add(User, texts);
  }
  add(User, results);
  if (made.length === 0) throw new ChatError(400, "All of “messages” are empty.");
  // VS Code has no option for the form of an answer, so the model is asked for it.
  if (format?.type === "json_object" || format?.type === "json_schema") {
    const schema = format.json_schema?.schema;
    const matching = schema === undefined ? "" : " that matches this JSON schema";
    const text = `Answer with one JSON object${matching} and nothing else: no explanation, no code fence.`;
    add(User, [
      new vscode.LanguageModelTextPart(
        schema === undefined ? text : `${text}\n${JSON.stringify(schema)}`,
      ),
    ]);
  }
  return made;
}

function chosenTools({ tools, tool_choice: choice }: ChatBody) {
  const { Auto, Required } = vscode.LanguageModelChatToolMode;
  if (choice === "auto" || choice === "none")
    return { tools: choice === "auto" ? tools : [], mode: Auto };
  const chosen =
    choice === "required"
      ? tools
      : tools.filter((each) => each.function.name === choice.function.name);
  if (chosen.length > 0) return { tools: chosen, mode: Required };
  throw new ChatError(400, "“tools” has none that “tool_choice” asks for.");
}

export async function editorModels(selector?: vscode.LanguageModelChatSelector) {
  const needed = ["lm.selectChatModels", "LanguageModelChatMessage", "LanguageModelTextPart"];
  if (!hasApi("VS Code's models for local crews", needed)) return [];
  return await vscode.lm.selectChatModels(selector);
}

/** The model's whole answer: up to the first of the stop texts, whether or not the model knows them. @throws ChatError */
export async function answer(
  model: vscode.LanguageModelChat,
  { messages, options, stop }: ChatRequest,
  token: vscode.CancellationToken,
) {
  const calls: vscode.LanguageModelToolCallPart[] = [];
  const longest = Math.max(0, ...stop.map(({ length }) => length));
  let text = "";
  try {
    const { stream } = await model.sendRequest(messages, options, token);
    for await (const part of stream) {
      if (part instanceof vscode.LanguageModelToolCallPart) calls.push(part);
      if (!(part instanceof vscode.LanguageModelTextPart)) continue;
      // A stop text may have begun in the part before.
      const from = Math.max(0, text.length - longest);
      text += part.value;
      const ends = stop.map((each) => text.indexOf(each, from)).filter((at) => at >= 0);
      if (ends.length > 0) return { text: text.slice(0, Math.min(...ends)), calls };
    }
    return { text, calls };
  } catch (error) {
    throw chatErrorOf(error, model.name);
  }
}

export async function countUsage(
  model: vscode.LanguageModelChat,
  { messages, options: { tools } }: ChatRequest,
  { text, calls }: Awaited<ReturnType<typeof answer>>,
  token: vscode.CancellationToken,
): Promise<object | undefined> {
  const count = async (...texts: readonly (string | vscode.LanguageModelChatMessage)[]) => {
    const counts = await Promise.all(texts.map((each) => model.countTokens(each, token)));
    return counts.reduce((sum, each) => sum + each, 0);
  };
  try {
    const prompt = await count(...messages, ...(tools.length > 0 ? [JSON.stringify(tools)] : []));
    const made = calls.map(({ name, input }) => name + JSON.stringify(input));
    const completion = await count(text + made.join(""));
    const total = prompt + completion;
    return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total };
  } catch (error) {
    log.debug(`${model.name} can't count tokens: ${messageOf(error)}`);
    return undefined;
  }
}

function chatErrorOf(error: unknown, model: string): ChatError {
  const said = messageOf(error);
  const errors = vscode.LanguageModelError;
  const code = error instanceof errors ? error.code : "";
  if (code === errors.NotFound.name) return modelGone(model);
  if (code === errors.NoPermissions.name)
    return new ChatError(
      403,
      `VS Code doesn't let Crewdeck use the model ${model}: ${said} Allow it in "Accounts: Manage Language Model Access", or choose another model for the crew.`,
      "no_permissions",
    );
  if (code === errors.Blocked.name)
    return new ChatError(429, `${model} refused the request: ${said}`, "blocked");
  const cause = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : "";
  const why = said.includes(cause) ? said : `${said} ${cause}`;
  return new ChatError(502, `${model} failed: ${why}`, "model_failed");
}

export function modelGone(model: string): ChatError {
  return new ChatError(
    404,
    `VS Code no longer has the model ${model}. Choose another with "Choose Model…" on the crew.`,
    "model_not_found",
  );
}
