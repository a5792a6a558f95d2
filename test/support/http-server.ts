import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer, Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { endWithTest } from "./ends.ts";

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** An HTTP server on this machine. With a certificate, it speaks TLS. One that a test starts ends with it. */
export class HttpServer {
  readonly #server: Server | TlsServer;
  /** Whether several tests use it: it doesn't end with the one that starts it. */
  isShared = false;

  constructor(answer: RequestListener, certificate?: Certificate) {
    this.#server = certificate ? createTlsServer(certificate, answer) : createServer(answer);
  }

  async start(port = 0, host = "127.0.0.1"): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(port, host, resolve);
    });
    if (!this.isShared) endWithTest(() => this.stop());
    return this.url;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    const scheme = this.#server instanceof TlsServer ? "https" : "http";
    return `${scheme}://127.0.0.1:${this.port}`;
  }

  connections(): Promise<number> {
    return promisify(this.#server.getConnections.bind(this.#server))();
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}

/** A port that is free now, for what takes no port 0. */
export async function freePort(): Promise<number> {
  const server = new HttpServer(() => undefined);
  await server.start();
  const { port } = server;
  await server.stop();
  return port;
}

export async function textOf(request: AsyncIterable<unknown>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
