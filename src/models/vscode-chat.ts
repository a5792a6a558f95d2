import * as vscode from "vscode";
import { messageOf } from "../base/errors.ts";
import { log } from "../editor/log.ts";
import { hasApi } from "../editor/missing-api.ts";
import { ChatError, type ChatMessage, type ChatPart, type ChatRequest } from "./chat-request.ts";

interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly input: string;
}

export type Delta = { readonly text: string } | { readonly call: ToolCall };

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** VS Code's models; none in an editor without this part of VS Code's API. */
export async function editorModels(
  selector?: vscode.LanguageModelChatSelector,
): Promise<readonly vscode.LanguageModelChat[]> {
  const needed = ["lm.selectChatModels", "LanguageModelChatMessage", "LanguageModelTextPart"];
  if (!hasApi("VS Code's models for local crews", needed)) return [];
  return await vscode.lm.selectChatModels(selector);
}

/** The parts of the model's answer, as they come. @throws ChatError */
export async function* answer(
  model: vscode.LanguageModelChat,
  request: ChatRequest,
  token: vscode.CancellationToken,
): AsyncGenerator<Delta> {
  try {
    const { stream } = await model.sendRequest(
      request.messages.map(messageFor),
      {
        justification: vscode.l10n.t("A crew that runs on this machine uses this model."),
        modelOptions: { ...request.options },
        tools: request.tools.map(({ name, description, schema }) => ({
          name,
          description,
          inputSchema: schema,
        })),
        toolMode: request.mustCallTool
          ? vscode.LanguageModelChatToolMode.Required
          : vscode.LanguageModelChatToolMode.Auto,
      },
      token,
    );
    yield* deltasOf(stream, request.stop);
  } catch (error) {
    throw chatErrorOf(error, model.name);
  }
}

/** Ends before the first of the stop texts, whether or not the model knows them. */
async function* deltasOf(
  stream: AsyncIterable<unknown>,
  stop: readonly string[],
): AsyncGenerator<Delta> {
  let held = "";
  for await (const part of stream) {
    if (part instanceof vscode.LanguageModelTextPart) {
      held += part.value;
      const ends = stop.map((text) => held.indexOf(text)).filter((at) => at >= 0);
      const isEnd = ends.length > 0;
      const length = isEnd ? Math.min(...ends) : held.length - lengthHeldBack(held, stop);
      if (length > 0) yield { text: held.slice(0, length) };
      if (isEnd) return;
      held = held.slice(length);
    } else if (part instanceof vscode.LanguageModelToolCallPart) {
      if (held !== "") yield { text: held };
      held = "";
      yield { call: { id: part.callId, name: part.name, input: JSON.stringify(part.input) } };
    }
  }
  if (held !== "") yield { text: held };
}

/** How much of the text's end may be the beginning of a stop text. */
function lengthHeldBack(text: string, stop: readonly string[]): number {
  let length = Math.min(text.length, Math.max(0, ...stop.map((each) => each.length - 1)));
  while (length > 0 && !stop.some((each) => each.startsWith(text.slice(-length)))) length -= 1;
  return length;
}

/** Undefined if the model can't count. */
export async function countUsage(
  model: vscode.LanguageModelChat,
  { messages, tools }: ChatRequest,
  deltas: readonly Delta[],
  token: vscode.CancellationToken,
): Promise<Usage | undefined> {
  const made = deltas.map((delta) =>
    "text" in delta ? delta.text : `${delta.call.name}${delta.call.input}`,
  );
  const count = async (texts: readonly (string | vscode.LanguageModelChatMessage)[]) => {
    const counts = await Promise.all(texts.map((text) => model.countTokens(text, token)));
    return counts.reduce((sum, each) => sum + each, 0);
  };
  try {
    const described = tools.length === 0 ? [] : [JSON.stringify(tools)];
    const [prompt, completion] = await Promise.all([
      count([...messages.map(messageFor), ...described]),
      count([made.join("")]),
    ]);
    return {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
    };
  } catch (error) {
    log.debug(`${model.name} can't count tokens: ${messageOf(error)}`);
    return undefined;
  }
}

function messageFor({ role, parts }: ChatMessage): vscode.LanguageModelChatMessage {
  const kind = vscode.LanguageModelChatMessageRole;
  return new vscode.LanguageModelChatMessage(
    role === "user" ? kind.User : kind.Assistant,
    parts.map(partFor),
  );
}

function partFor(part: ChatPart): vscode.LanguageModelInputPart {
  if (part.kind === "text") return new vscode.LanguageModelTextPart(part.text);
  if (part.kind === "call")
    return new vscode.LanguageModelToolCallPart(part.id, part.name, part.input);
  return new vscode.LanguageModelToolResultPart(part.id, [
    new vscode.LanguageModelTextPart(part.text),
  ]);
}

function chatErrorOf(error: unknown, model: string): ChatError {
  const said = messageOf(error);
  const code = error instanceof vscode.LanguageModelError ? error.code : "";
  if (code === vscode.LanguageModelError.NotFound.name) return modelGone(model);
  if (code === vscode.LanguageModelError.NoPermissions.name)
    return new ChatError(
      403,
      "permission_error",
      "no_permissions",
      `VS Code doesn't let Crewdeck use the model ${model}: ${said} Allow it in "Accounts: Manage Language Model Access", or choose another model for the crew.`,
    );
  if (code === vscode.LanguageModelError.Blocked.name)
    return new ChatError(
      429,
      "rate_limit_error",
      "blocked",
      `${model} refused the request: ${said}`,
    );
  const cause = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : "";
  const why = [said, ...(cause === "" || said.includes(cause) ? [] : [cause])].join(" ");
  return new ChatError(502, "server_error", "model_failed", `${model} failed: ${why}`);
}

export function modelGone(model: string): ChatError {
  return new ChatError(
    404,
    "invalid_request_error",
    "model_not_found",
    `VS Code no longer has the model ${model}. Choose another with "Choose Model…" on the crew.`,
  );
}
