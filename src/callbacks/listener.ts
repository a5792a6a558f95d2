import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { mostBytes, type Receive } from "./delivery.ts";

export interface ListenerOptions {
  readonly receive: Receive;
  /** Whether a path is in use. Requests to other paths are refused before their body is read. */
  readonly isKnown: (path: string) => boolean;
  /** For the headers, and for the whole request (ms). */
  readonly timeoutMs?: number;
  readonly mostConnections?: number;
}

/** How often Node looks for requests that take too long (ms). */
const lookEvery = 500;

/** Receives callbacks over HTTP, on loopback only. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #server: Server;

  /** Resolves when it listens; `port` 0 for any. Rejects as `listen` does. */
  static async open(port: number, options: ListenerOptions): Promise<Listener> {
    const listener = new Listener(options);
    await new Promise<void>((resolve, reject) => {
      listener.#server.once("error", reject).listen(port, "127.0.0.1", resolve);
    });
    return listener;
  }

  private constructor(options: ListenerOptions) {
    this.#options = options;
    const { timeoutMs = 10_000, mostConnections = 500 } = options;
    this.#server = createServer(
      {
        headersTimeout: timeoutMs,
        requestTimeout: timeoutMs,
        connectionsCheckingInterval: Math.min(lookEvery, timeoutMs),
      },
      (request, response) => void this.#answer(request, response),
    );
    this.#server.maxConnections = mostConnections;
    // An error event without a listener would end the extension host.
    this.#server.on("error", () => undefined);
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Ends all connections. Callbacks without an answer are sent again. */
  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = "/", method, headers } = request;
    try {
      const refused = this.#refusal(path, method);
      const body = refused === undefined ? await bodyOf(request) : undefined;
      const status =
        body === undefined
          ? (refused ?? 413)
          : await this.#options.receive({ path, headers: textsOf(headers), body });
      // The rest of a body is not waited for. And a proxy would lose the callback that it sends on a kept connection
      // while this side closes that.
      response.writeHead(status, { Connection: "close" }).end();
    } catch {
      // The sender has gone, or was too slow.
      request.destroy();
    }
  }

  #refusal(path: string, method: string | undefined): number | undefined {
    try {
      if (!this.#options.isKnown(path)) return 404;
      return method === "POST" ? undefined : 405;
    } catch {
      // The database can't be read now.
      return 503;
    }
  }
}

/** The body of a request. Undefined if it is too long. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  // By default, leaving the loop destroys the request, which then can't be answered.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!(chunk instanceof Buffer)) continue;
    size += chunk.byteLength;
    if (size > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function textsOf(headers: IncomingMessage["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as const],
    ),
  );
}
