import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Certificate, HttpServer, textOf } from "./http-server.ts";

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export type Behaviour = (response: ServerResponse, request: SeenRequest) => void;

/** A real HTTP(S) server on 127.0.0.1 with scripted responses that records its requests. */
export class MisbehavingServer extends HttpServer {
  readonly requests: SeenRequest[] = [];
  /** What to do when nothing is queued. */
  otherwise: Behaviour = json(200, {});
  readonly #queue: Behaviour[] = [];
  #waiting: (() => void)[] = [];

  private constructor(certificate: Certificate | undefined) {
    super((request, response) => void this.#answer(request, response), certificate);
  }

  static async start(certificate?: Certificate): Promise<MisbehavingServer> {
    const server = new MisbehavingServer(certificate);
    await server.start();
    return server;
  }

  /** Queues what to do with the next requests, one each. */
  next(...behaviours: Behaviour[]): void {
    this.#queue.push(...behaviours);
  }

  async arrived(count: number): Promise<void> {
    while (this.requests.length < count)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", headers } = request;
    // Undefined if the client ends before it has sent everything.
    const body = await textOf(request).catch(() => undefined);
    if (body === undefined) return;
    const seen = { method, path, headers, body };
    this.requests.push(seen);
    for (const wake of this.#waiting.splice(0)) wake();
    (this.#queue.shift() ?? this.otherwise)(response, seen);
  }
}

export function json(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Behaviour {
  return text(status, JSON.stringify(body), { "content-type": "application/json", ...headers });
}

export function text(
  status: number,
  body: string,
  headers: Record<string, string> = {},
): Behaviour {
  return (response) =>
    response.writeHead(status, { "content-type": "text/plain", ...headers }).end(body);
}

export const silence: Behaviour = () => undefined;

/** Sends the head and the start of a body, then nothing more. */
export function stall(status: number, beginning: string): Behaviour {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json" }).write(beginning);
  };
}

export function flood(status: number): Behaviour {
  return (response) => {
    const chunk = Buffer.alloc(64 * 1024, " ");
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.writeHead(status, { "content-type": "application/json" }).on("drain", more);
    more();
  };
}

/** Responds with JSON and keep-alive, but cuts the connection at the next request, like a server that closes it at that moment. */
export function closeMeanwhile(status: number, body: unknown): Behaviour {
  return (response, request) => {
    const { socket } = response;
    response.once("finish", () => socket?.prependListener("data", () => socket.destroy()));
    json(status, body, { connection: "keep-alive" })(response, request);
  };
}

export const hangUp: Behaviour = (response) => {
  response.socket?.resetAndDestroy();
};

export function breakOff(status: number, beginning: string): Behaviour {
  return (response) => {
    response
      .writeHead(status, { "content-type": "application/json" })
      .write(beginning, () => response.socket?.resetAndDestroy());
  };
}

export const garbage: Behaviour = (response) => {
  response.socket?.end("SSH-2.0-OpenSSH_9.2\r\n");
};

export function redirect(status: number, location: string): Behaviour {
  return text(status, "", { location });
}

/** Makes a certificate that signs itself, with openssl; its names are those of a certificate for `names`, such as `IP:127.0.0.1`. */
export async function makeCertificate(names: string): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), "crewdeck-certificate-"));
  try {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = ["-subj", "/CN=crew", "-addext", `subjectAltName=${names}`];
    const args = "req -x509 -newkey rsa:2048 -nodes -days 2 -keyout".split(" ");
    await promisify(execFile)("openssl", [...args, key, "-out", cert, ...subject]);
    return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
  } finally {
    await rm(folder, { recursive: true });
  }
}
