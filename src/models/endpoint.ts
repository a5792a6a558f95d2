import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as vscode from "vscode";
import { bearerOf, digest, isSecret } from "../base/bearer.ts";
import { messageOf } from "../base/errors.ts";
import { readBytes } from "../base/files.ts";
import { isLoopback } from "../base/loopback.ts";
import { modelHeader, readModel, type ModelReference } from "../base/window-protocol.ts";
import { log, logProblem } from "../editor/log.ts";
import { answer, ChatError, countUsage, editorModels, modelGone, readChatRequest } from "./chat.ts";

const largestBody = 16 * 1024 * 1024;
/** Longer than a Python client keeps an idle connection (5 s), so that it never uses one that is being closed. */
const keepAliveMs = 60_000;

/** OpenAI-compatible. Its header names the model; what a crew's Python names is ignored. */
export function modelEndpoint() {
  const tokens = new Map<string, string>();
  let server: Promise<Server> | undefined;
  const listen = async (): Promise<Server> => {
    try {
      const made = createServer((request, response) => void respond(request, response, tokens));
      made.keepAliveTimeout = keepAliveMs;
      await once(made.listen(0, "127.0.0.1"), "listening");
      return made;
    } catch (error) {
      server = undefined;
      throw error;
    }
  };
  const dispose = (): void => {
    tokens.clear();
    const running = server;
    server = undefined;
    void running?.then(
      (listening) => {
        listening.close();
        listening.closeAllConnections();
      },
      // Whoever opened it has the error.
      () => undefined,
    );
  };
  return {
    async open(crewId: string) {
      const token = tokens.get(crewId) ?? randomBytes(32).toString("base64url");
      tokens.set(crewId, token);
      const { port } = (await (server ??= listen())).address() as AddressInfo;
      return { url: `http://127.0.0.1:${port}/v1`, token };
    },
    close(crewId: string): void {
      tokens.delete(crewId);
      if (tokens.size === 0) dispose();
    },
    dispose,
  };
}

type Tokens = ReadonlyMap<string, string>;

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  tokens: Tokens,
): Promise<void> {
  const cancel = new vscode.CancellationTokenSource();
  response.once("close", () => cancel.cancel());
  try {
    const wanted = modelIn(request, tokens);
    const [model] = await editorModels({ vendor: wanted.vendor, id: wanted.id });
    const route = `${request.method ?? ""} ${(request.url ?? "").replace(/\?.*$/, "")}`;
    if (route !== "POST /v1/chat/completions") throw unknownRoute(route);
    const body = await readBody(request);
    if (model === undefined) throw modelGone(wanted.name);
    await complete(response, body, model, cancel.token);
  } catch (error) {
    // Nobody is left to read it.
    if (!response.destroyed) refuse(response, error);
  } finally {
    // A model may continue after a stop text.
    cancel.cancel();
    cancel.dispose();
  }
}

function modelIn({ headers }: IncomingMessage, tokens: Tokens): ModelReference {
  // A page of another site may reach this port by a name of its own (DNS rebinding).
  const address = `http://${headers.host ?? ""}`;
  if (!URL.canParse(address) || !isLoopback(new URL(address).hostname))
    throw new ChatError(403, "Only for programs on this machine.");
  const given = bearerOf(headers.authorization);
  if (![...tokens.values()].some((token) => isSecret(given, digest(token))))
    throw new ChatError(
      401,
      "The key is not one that Crewdeck gave to a crew that runs now.",
      "invalid_api_key",
    );
  const model = readModel(headers[modelHeader]);
  if (model !== undefined) return model;
  throw new ChatError(400, `“${modelHeader}” names no model.`);
}

function unknownRoute(route: string): ChatError {
  const why = route.endsWith("/embeddings")
    ? "VS Code's models make no embeddings, which the crew's memory or knowledge needs. Name another embedder in the crew."
    : `There is no “${route}”. This endpoint has only POST /v1/chat/completions.`;
  return new ChatError(404, why, "unknown_url");
}

async function readBody(request: IncomingMessage): Promise<string> {
  // Otherwise the connection would end before the response to a body that is too large.
  const parts: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  const { bytes, isTruncated, problem } = await readBytes(parts, largestBody);
  if (problem instanceof Error) throw problem;
  if (!isTruncated) return bytes.toString("utf8");
  throw new ChatError(413, `The body is larger than ${largestBody / 1024 / 1024} MB.`);
}

async function complete(
  response: ServerResponse,
  body: string,
  model: vscode.LanguageModelChat,
  token: vscode.CancellationToken,
): Promise<void> {
  const began = Date.now();
  const request = readChatRequest(body);
  const answered = await answer(model, request, token);
  const usage = await countUsage(model, request, answered, token);
  const { isStream, hasUsageAtEnd } = request;
  const calls = answered.calls.map(({ callId: id, name, input }, index) => ({
    ...(isStream && { index }),
    ...{ id, type: "function", function: { name, arguments: JSON.stringify(input) } },
  }));
  const said = {
    role: "assistant",
    content: answered.text === "" && calls.length > 0 ? null : answered.text,
    refusal: null,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const choice = {
    ...{ index: 0, [isStream ? "delta" : "message"]: said, logprobs: null },
    finish_reason: calls.length > 0 ? "tool_calls" : "stop",
  };
  const head = {
    id: `chatcmpl-${randomBytes(12).toString("hex")}`,
    created: Math.floor(began / 1000),
    model: model.id,
    object: isStream ? "chat.completion.chunk" : "chat.completion",
  };
  if (isStream) {
    const chunks = [
      { choices: [choice] },
      ...(hasUsageAtEnd && usage ? [{ choices: [], usage }] : []),
    ];
    const events = chunks.map((chunk) => JSON.stringify({ ...head, ...chunk }));
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.end([...events, "[DONE]"].map((data) => `data: ${data}\n\n`).join(""));
  } else sendJson(response, 200, { ...head, choices: [choice], ...(usage && { usage }) });
  log.debug(`A crew's request to ${model.id} took ${Date.now() - began} ms`);
}

function refuse(response: ServerResponse, error: unknown): void {
  const known = error instanceof ChatError ? error : undefined;
  if (known === undefined) logProblem("Answering a crew's request to a model", error);
  const { status, code, message } =
    known ?? new ChatError(500, `Crewdeck failed: ${messageOf(error)}`);
  const type = status < 500 ? "invalid_request_error" : "server_error";
  const body = { error: { message, type, param: null, code } };
  // Part of the request's body may be unread. OpenAI's clients would repeat some errors, at the person's cost.
  sendJson(response, status, body, { connection: "close", "x-should-retry": "false" });
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify(body));
}
