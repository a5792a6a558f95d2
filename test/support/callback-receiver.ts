import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { HttpServer, textOf } from "./http-server.ts";

export interface ReceivedCallback {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The `Webhook-Id`, which identifies repeats. */
  readonly id: string;
  readonly body: Record<string, unknown>;
}

/** What the receiver does with one callback; it must end the response, or hang. */
export type Behaviour = (response: ServerResponse, callback: ReceivedCallback) => void;

/** Receives callbacks on this machine and keeps all of them, including repeats and refused ones. */
export class CallbackReceiver extends HttpServer {
  readonly received: ReceivedCallback[] = [];
  behave: Behaviour = (response) => response.writeHead(204).end();

  constructor() {
    super((request, response) => void this.#take(request, response));
  }

  /** The callbacks to a path, in order, without repeats. */
  at(path: string): ReceivedCallback[] {
    const first = new Map<string, ReceivedCallback>();
    for (const callback of this.received)
      if (callback.path === path && !first.has(callback.id)) first.set(callback.id, callback);
    return [...first.values()];
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request);
    const callback: ReceivedCallback = {
      path: request.url ?? "",
      headers: request.headers,
      id: String(request.headers["webhook-id"]),
      body: JSON.parse(text) as Record<string, unknown>,
    };
    this.received.push(callback);
    this.behave(response, callback);
  }
}
