import {
  createServer,
  request as forward,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from "node:http";
import { createServer as createSecureServer, Server as SecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Certificate } from "./misbehaving-server.ts";

/** A request that came through. */
export interface Forwarded {
  /** The port that it was forwarded to. */
  readonly port: number | undefined;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** Forwards requests to ports of this machine in turn, with their path as it is, as a reverse proxy does. */
export class ReverseProxy {
  readonly requests: Forwarded[] = [];
  /** A request is forwarded when this has resolved. */
  before: (request: Forwarded) => Promise<unknown> | undefined = () => undefined;
  readonly #server: Server | SecureServer;

  /** @param certificate with it, clients must use https */
  static async start(
    ports: number | readonly number[],
    certificate?: Certificate,
  ): Promise<ReverseProxy> {
    const proxy = new ReverseProxy([ports].flat(), certificate);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  private constructor(ports: readonly number[], certificate: Certificate | undefined) {
    const answer: RequestListener = (request, response) => {
      const { url: path = "", method, headers: given, socket } = request;
      const { host = "", authorization } = given;
      const headers = {
        ...given,
        "x-forwarded-for": socket.remoteAddress,
        "x-forwarded-host": host,
        "x-forwarded-proto": certificate ? "https" : "http",
      };
      void (async () => {
        const body = await bodyOf(request);
        const port = ports[this.requests.length % ports.length];
        const forwarded = { port, path, authorization, body };
        this.requests.push(forwarded);
        await this.before(forwarded);
        const inner = forward({ host: "127.0.0.1", port, path, method, headers }, (inward) => {
          response.writeHead(inward.statusCode ?? 502, inward.headers);
          inward.pipe(response);
        });
        inner.on("error", () => response.writeHead(502).end());
        inner.end(body);
      })();
    };
    this.#server = certificate ? createSecureServer(certificate, answer) : createServer(answer);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    const scheme = this.#server instanceof SecureServer ? "https" : "http";
    return `${scheme}://127.0.0.1:${this.port}`;
  }

  /** Shows new connections another certificate. */
  set certificate(certificate: Certificate) {
    if (this.#server instanceof SecureServer) this.#server.setSecureContext(certificate);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk);
  return text;
}
