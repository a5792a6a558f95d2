import { once } from "node:events";
import { createServer, type ServerOptions, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { messageOf, Refusal } from "./errors.ts";

export type Fetch = (request: Request, env?: object) => Response | Promise<Response>;

/** Where requests arrive. @param headers of all responses */
export function createListener(
  fetch: Fetch,
  options: ServerOptions = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const respond = getRequestListener(fetch);
  const underWay = new Set<ServerResponse>();
  let isDraining = false;
  const server = createServer(options, (request, response) => {
    underWay.add(response);
    response.once("close", () => underWay.delete(response));
    response.setHeaders(new Map(Object.entries(headers)));
    if (isDraining) response.setHeader("Connection", "close");
    void respond(request, response);
  });
  return {
    server,
    async open(
      host: string,
      port: number,
    ): Promise<{ readonly url: string; readonly port: number }> {
      try {
        await once(server.listen(port, host), "listening");
      } catch (error) {
        throw new Refusal(
          "port",
          `Port ${port} on ${host} can't be used: ${messageOf(error)}. Choose another port with --port, where 0 takes any free one, or, with --config, another address with --host.`,
        );
      }
      const { port: actual } = server.address() as AddressInfo;
      return { url: `http://${host.includes(":") ? `[${host}]` : host}:${actual}`, port: actual };
    },
    /** Each answer asks its client to connect to another process. */
    drain(): void {
      isDraining = true;
    },
    async close(): Promise<void> {
      server.close();
      await Promise.all([...underWay].map((response) => once(response, "close")));
    },
  };
}
