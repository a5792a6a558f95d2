import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { codeOf } from "../base/errors.ts";
import { messageOf, Refusal } from "./errors.ts";

export type Fetch = (request: Request, env?: object) => Response | Promise<Response>;

/** Also in `service.json`: a client verifies the process before it sends a token. */
const instanceHeader = "Crewdeck-Instance";

/**
 * How long a connection is kept that nobody uses (ms). Longer than load balancers keep theirs, up to ten minutes: one that sends
 * on a connection that is just being closed can't know whether a kickoff has arrived.
 */
const keepAliveMs = 620_000;

/** Where requests arrive. */
export function createListener(fetch: Fetch, instance: string) {
  const respond = getRequestListener(fetch);
  const underWay = new Set<ServerResponse>();
  let isDraining = false;
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    underWay.add(response);
    response.once("close", () => underWay.delete(response));
    response.setHeader(instanceHeader, instance);
    if (isDraining) response.setHeader("Connection", "close");
    void respond(request, response);
  });
  return {
    /** Resolves to the port. @throws {Refusal} */
    async open(host: string, port: number): Promise<number> {
      try {
        await once(server.listen(port, host), "listening");
      } catch (error) {
        const problem =
          codeOf(error) === "EADDRINUSE"
            ? "is in use by another program. End that program, or choose another port with --port; 0 takes any free port."
            : `can't be used: ${messageOf(error)}. Choose another port with --port, or, for a server with --config, another address with --host.`;
        throw new Refusal("port", `Port ${port} on ${host} ${problem}`);
      }
      return (server.address() as AddressInfo).port;
    },
    /** Each answer asks its client to connect to another process. */
    drain(): void {
      isDraining = true;
    },
    /** Takes no more connections. Resolves when what has arrived is answered. */
    async close(): Promise<void> {
      server.close();
      await Promise.all([...underWay].map((response) => once(response, "close")));
    },
  };
}
