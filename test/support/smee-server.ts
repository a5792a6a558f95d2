import type { IncomingMessage, ServerResponse } from "node:http";
import { HttpServer, textOf } from "./http-server.ts";

const maxBody = 1_048_576;

/**
 * Speaks as smee.io's server does, which isn't a package (probot/smee.io, lib/server.js, 922d925): every listener
 * counts its own IDs, nothing is kept, and a callback is answered with 200 even if nobody listens.
 */
export class SmeeServer extends HttpServer {
  readonly listened: IncomingMessage["headers"][] = [];
  readonly #listeners = new Map<ServerResponse, { channel: string; count: number }>();

  constructor() {
    super((request, response) => void this.#take(request, response));
  }

  /** As the server does every 30 s. */
  ping(): void {
    for (const response of this.#listeners.keys()) this.#send(response, "event: ping\ndata: {}");
  }

  cut(): void {
    for (const response of this.#listeners.keys()) response.destroy();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", "http://smee");
    const channel = /^\/([a-zA-Z0-9-_]{1,128})$/.exec(url.pathname)?.[1];
    if (channel === undefined) response.writeHead(404).end();
    else if (request.method === "POST") await this.#post(channel, url, request, response);
    else if (request.headers.accept === "text/event-stream")
      this.#listen(channel, request, response);
    else
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<html></html>");
  }

  #listen(channel: string, request: IncomingMessage, response: ServerResponse): void {
    this.listened.push(request.headers);
    response.writeHead(200, {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-cache",
      Connection: "keep-alive",
      "x-no-compression": 1,
    });
    this.#listeners.set(response, { channel, count: 0 });
    response.on("close", () => this.#listeners.delete(response));
    this.#send(response, "event: ready\ndata: {}");
  }

  async #post(
    channel: string,
    url: URL,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const text = await textOf(request);
    if (text.length > maxBody) return void response.writeHead(413).end();
    const body = JSON.parse(text) as unknown;
    const query = Object.fromEntries(url.searchParams);
    const message = JSON.stringify({ ...request.headers, body, query, timestamp: Date.now() });
    for (const [listener, { channel: listened }] of this.#listeners)
      if (listened === channel) this.#send(listener, `data: ${message}`);
    response.writeHead(200).end();
  }

  #send(response: ServerResponse, event: string): void {
    const listener = this.#listeners.get(response);
    if (listener) response.write(`id: ${listener.count++}\n${event}\n\n`);
  }
}
