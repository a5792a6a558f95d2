import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as vscode from "vscode";
import { bearerOf, digest, isSecret } from "../base/bearer.ts";
import { messageOf } from "../base/errors.ts";
import { isLoopback } from "../base/loopback.ts";
import { modelHeader, readModel, type ModelReference } from "../base/window-protocol.ts";
import { log, logProblem } from "../editor/log.ts";
import {
  answer,
  ChatError,
  countUsage,
  editorModels,
  invalid,
  modelGone,
  readChatRequest,
  type AnswerPart,
} from "./chat.ts";

const largestBody = 16 * 1024 * 1024;
/** Longer than a Python client keeps an idle connection (5 s), so that it never uses one that is being closed. */
const keepAliveMs = 60_000;

/**
 * An OpenAI-compatible endpoint on this machine for VS Code's models. It runs while a local crew's service uses it. That service names
 * the model in a header: what a crew's Python names is ignored.
 */
export class ModelEndpoint {
  readonly #tokens = new Map<string, string>();
  #server: Promise<Server> | undefined;

  /** Starts the endpoint if necessary. The token is for the crew's service. */
  async open(crewId: string) {
    const token = this.#tokens.get(crewId) ?? randomBytes(32).toString("base64url");
    this.#tokens.set(crewId, token);
    const server = await (this.#server ??= this.#listen());
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/v1`, token };
  }

  /** The crew's token is no longer valid. Without another crew the endpoint stops. */
  close(crewId: string): void {
    this.#tokens.delete(crewId);
    if (this.#tokens.size === 0) this.dispose();
  }

  dispose(): void {
    this.#tokens.clear();
    const server = this.#server;
    this.#server = undefined;
    void server?.then(
      (listening) => {
        listening.close();
        listening.closeAllConnections();
      },
      // Whoever opened it has the error.
      () => undefined,
    );
  }

  async #listen(): Promise<Server> {
    try {
      const server = createServer((request, response) => void this.#respond(request, response));
      server.keepAliveTimeout = keepAliveMs;
      await once(server.listen(0, "127.0.0.1"), "listening");
      return server;
    } catch (error) {
      this.#server = undefined;
      throw error;
    }
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const cancel = new vscode.CancellationTokenSource();
    response.once("close", () => cancel.cancel());
    try {
      const wanted = this.#modelIn(request);
      const [model] = await editorModels({ vendor: wanted.vendor, id: wanted.id });
      const route = `${request.method ?? ""} ${(request.url ?? "").replace(/\?.*$/, "")}`;
      if (route === "GET /v1/models") {
        const { id, vendor } = model ?? {};
        const data =
          id === undefined ? [] : [{ id, object: "model", created: 0, owned_by: vendor }];
        sendJson(response, 200, { object: "list", data });
      } else if (route === "POST /v1/chat/completions") {
        const body = await readBody(request);
        if (model === undefined) throw modelGone(wanted.name);
        await complete(response, body, model, cancel.token);
      } else throw unknownRoute(route);
    } catch (error) {
      // Nobody is left to read it.
      if (!response.destroyed) refuse(response, error);
    } finally {
      // A model may continue after a stop text.
      cancel.cancel();
      cancel.dispose();
    }
  }

  /** @throws ChatError */
  #modelIn({ headers }: IncomingMessage): ModelReference {
    // A page of another site may reach this port by a name of its own (DNS rebinding).
    const address = `http://${headers.host ?? ""}`;
    if (!URL.canParse(address) || !isLoopback(new URL(address).hostname))
      throw invalid("Only for programs on this machine.", 403);
    const given = bearerOf(headers.authorization);
    if (![...this.#tokens.values()].some((token) => isSecret(given, digest(token))))
      throw new ChatError(
        401,
        "authentication_error",
        "invalid_api_key",
        "The key is not one that Crewdeck gave to a crew that runs now.",
      );
    const model = readModel(headers[modelHeader]);
    if (model !== undefined) return model;
    throw invalid(`“${modelHeader}” names no model.`);
  }
}

function unknownRoute(route: string): ChatError {
  const why = route.endsWith("/embeddings")
    ? "VS Code's models make no embeddings, which the crew's memory or knowledge needs. Name another embedder in the crew."
    : `There is no “${route}”. This endpoint has GET /v1/models and POST /v1/chat/completions.`;
  return new ChatError(404, "invalid_request_error", "unknown_url", why);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Otherwise the connection would end before the response to a body that is too large.
  const parts: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const chunk of parts) {
    size += chunk.length;
    if (size > largestBody)
      throw invalid(`The body is larger than ${largestBody / 1024 / 1024} MB.`, 413);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Writes one answer: whole, or in a stream as it comes. */
async function complete(
  response: ServerResponse,
  body: string,
  model: vscode.LanguageModelChat,
  token: vscode.CancellationToken,
): Promise<void> {
  const began = Date.now();
  const request = readChatRequest(body);
  const { isStream, hasUsageAtEnd } = request;
  const head = {
    id: `chatcmpl-${randomBytes(12).toString("hex")}`,
    created: Math.floor(began / 1000),
    model: model.id,
    object: isStream ? "chat.completion.chunk" : "chat.completion",
  };
  const event = (data: object) => {
    if (!response.headersSent)
      response.writeHead(200, {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
      });
    response.write(`data: ${JSON.stringify({ ...head, ...data })}\n\n`);
  };
  const stream = (said: object, finish: string | null = null) => {
    const delta = response.headersSent ? said : { role: "assistant", ...said };
    event({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
  };
  const parts: AnswerPart[] = [];
  const calls: object[] = [];
  let text = "";
  for await (const part of answer(model, request, token)) {
    parts.push(part);
    if ("value" in part) {
      text += part.value;
      if (isStream) stream({ content: part.value });
    } else {
      const called = { name: part.name, arguments: JSON.stringify(part.input) };
      const call = { id: part.callId, type: "function", function: called };
      if (isStream) stream({ tool_calls: [{ index: calls.length, ...call }] });
      calls.push(call);
    }
  }
  const usage = await countUsage(model, request, parts, token);
  const finish = calls.length > 0 ? "tool_calls" : "stop";
  if (isStream) {
    stream({}, finish);
    if (hasUsageAtEnd && usage) event({ choices: [], usage });
    response.end("data: [DONE]\n\n");
  } else {
    const message = {
      role: "assistant",
      content: text === "" && calls.length > 0 ? null : text,
      refusal: null,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }];
    sendJson(response, 200, { ...head, choices, ...(usage && { usage }) });
  }
  log.debug(`A crew's request to ${model.id} took ${Date.now() - began} ms`);
}

function refuse(response: ServerResponse, error: unknown): void {
  const known = error instanceof ChatError ? error : undefined;
  if (known === undefined) logProblem("Answering a crew's request to a model", error);
  const { status, type, code, message } =
    known ?? new ChatError(500, "server_error", null, `Crewdeck failed: ${messageOf(error)}`);
  const body = { error: { message, type, param: null, code } };
  if (response.headersSent) response.end(`data: ${JSON.stringify(body)}\n\n`);
  // Part of the request's body may be unread. OpenAI's clients would repeat some errors, at the person's cost.
  else sendJson(response, status, body, { connection: "close", "x-should-retry": "false" });
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
