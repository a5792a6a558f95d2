import { setTimeout as sleep } from "node:timers/promises";
import { unusable } from "../service/errors.ts";
import { createListener } from "../service/listener.ts";
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
  const listener = createListener(relay.app.fetch, {
    requestTimeout: limits.requestMs,
    headersTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.min(limits.requestMs, 1000),
  });
  listener.server.maxConnections = maxConnections;
  return {
    ...(await listener.open(host, port)),
    /** Ends what is under way, and closes the database. */
    close: async (): Promise<void> => {
      clearInterval(timer);
      const closed = listener.close();
      relay.endListeners();
      await Promise.race([closed, sleep(endMs, undefined, { ref: false })]);
      // Connections without a request don't end by themselves.
      listener.server.closeAllConnections();
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
