import { request as forward } from "node:http";
import { HttpServer } from "./http-server.ts";

/** Forwards requests to a port of this machine, with their path as it is below its prefix, as a reverse proxy does. */
export class ReverseProxy extends HttpServer {
  readonly requests: { readonly authorization: string | undefined }[] = [];
  prefix = "";

  static async start(port: number, isShared = false): Promise<ReverseProxy> {
    const proxy = new ReverseProxy(port);
    proxy.isShared = isShared;
    await proxy.start();
    return proxy;
  }

  private constructor(port: number) {
    super((request, response) => {
      const { url = "", method, headers: given, socket } = request;
      const path = url.replace(this.prefix, "");
      const { host = "", authorization } = given;
      const headers = {
        ...given,
        "x-forwarded-for": socket.remoteAddress,
        "x-forwarded-host": host,
        "x-forwarded-proto": "http",
      };
      this.requests.push({ authorization });
      const inner = forward({ host: "127.0.0.1", port, path, method, headers }, (inward) => {
        response.writeHead(inward.statusCode ?? 502, inward.headers);
        inward.pipe(response);
      });
      inner.on("error", () => response.writeHead(502).end());
      request.pipe(inner);
    });
  }
}
