import { request as forward, type RequestListener } from "node:http";
import { type Certificate, HttpServer, textOf } from "./http-server.ts";

interface Forwarded {
  readonly port: number | undefined;
  readonly path: string;
  readonly authorization: string | undefined;
}

/** Forwards requests to ports of this machine in turn, with their path as it is below its prefix, as a reverse proxy does. */
export class ReverseProxy extends HttpServer {
  readonly requests: Forwarded[] = [];
  prefix = "";

  /** @param certificate with it, clients must use https */
  static async start(
    ports: number | readonly number[],
    certificate?: Certificate,
    isShared = false,
  ): Promise<ReverseProxy> {
    const proxy = new ReverseProxy([ports].flat(), certificate);
    proxy.isShared = isShared;
    await proxy.start();
    return proxy;
  }

  private constructor(ports: readonly number[], certificate: Certificate | undefined) {
    const answer: RequestListener = (request, response) => {
      const { url = "", method, headers: given, socket } = request;
      const path = url.replace(this.prefix, "");
      const { host = "", authorization } = given;
      const headers = {
        ...given,
        "x-forwarded-for": socket.remoteAddress,
        "x-forwarded-host": host,
        "x-forwarded-proto": certificate ? "https" : "http",
      };
      void (async () => {
        const body = await textOf(request);
        const port = ports[this.requests.length % ports.length];
        this.requests.push({ port, path, authorization });
        const inner = forward({ host: "127.0.0.1", port, path, method, headers }, (inward) => {
          response.writeHead(inward.statusCode ?? 502, inward.headers);
          inward.pipe(response);
        });
        inner.on("error", () => response.writeHead(502).end());
        inner.end(body);
      })();
    };
    super(answer, certificate);
  }
}
