import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** One received callback. */
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
export class CallbackReceiver {
  readonly received: ReceivedCallback[] = [];
  behave: Behaviour = (response) => response.writeHead(204).end();
  readonly #server: Server = createServer(
    (request, response) => void this.#take(request, response),
  );

  /** Listens on a free port, or on the port given, and resolves to the base address. */
  async start(port = 0, host = "127.0.0.1"): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, resolve);
    });
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The callbacks to a path, in order, without repeats. */
  at(path: string): ReceivedCallback[] {
    const first = new Map<string, ReceivedCallback>();
    for (const callback of this.received)
      if (callback.path === path && !first.has(callback.id)) first.set(callback.id, callback);
    return [...first.values()];
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += String(chunk);
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
