import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { messageOf, Refusal, unusable } from "../service/errors.ts";
import { createRelay } from "./app.ts";
import { usualLimits, type Limits } from "./limits.ts";
import { openRelayStore } from "./store.ts";

/** How often to delete what has waited for too long (ms). */
const expireMs = 60 * 60 * 1000;
/** All clients and senders together. */
const maxConnections = 2000;
/** How long requests may take to end before the relay does (ms). */
const endMs = 5000;

interface RelayOptions {
  readonly database: string;
  readonly token: string;
  readonly host: string;
  readonly port: number;
  readonly log: (line: string) => void;
  readonly limits?: Partial<Limits>;
}

/** Opens the database and listens. @throws {Refusal} */
export async function openRelay(options: RelayOptions) {
  const { database, token, host, port, log } = options;
  const limits = { ...usualLimits, ...options.limits };
  const store = openStore(database, limits.waitingBytes);
  const relay = createRelay({ store, token, limits, log });
  relay.expire(Date.now());
  const timer = setInterval(() => relay.expire(Date.now()), expireMs).unref();
  const underWay = new Set<ServerResponse>();
  let onQuiet = (): void => undefined;
  const server = createServer(
    {
      requestTimeout: limits.requestMs,
      headersTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(limits.requestMs, 1000),
    },
    (request, response) => {
      underWay.add(response);
      response.once("close", () => {
        underWay.delete(response);
        if (underWay.size === 0) onQuiet();
      });
      void respond(request, response);
    },
  );
  server.maxConnections = maxConnections;
  const respond = getRequestListener(relay.app.fetch);
  return {
    url: await listen(server, host, port),
    /** Ends what is under way, and closes the database. */
    close: async (): Promise<void> => {
      clearInterval(timer);
      const closed = once(server, "close");
      server.close();
      relay.endListeners();
      // Connections without a request don't end by themselves.
      onQuiet = () => server.closeAllConnections();
      if (underWay.size === 0) onQuiet();
      const late = setTimeout(onQuiet, endMs);
      await closed;
      clearTimeout(late);
      store.close();
    },
  };
}

function openStore(database: string, maxWaiting: number) {
  try {
    return openRelayStore(database, maxWaiting);
  } catch (error) {
    throw unusable(database, error);
  }
}

/** @throws {Refusal} */
async function listen(server: Server, host: string, port: number): Promise<string> {
  try {
    await once(server.listen(port, host), "listening");
  } catch (error) {
    throw new Refusal(
      "port",
      `Port ${port} on ${host} can't be used: ${messageOf(error)}. Choose another port with --port, or another address with --host.`,
    );
  }
  const { address, family, port: actual } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${actual}`;
}
