import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  databaseIn,
  lockDataFolder,
  untilDeleted,
  userDataFolder,
} from "../service/data-folder.ts";
import { unusable } from "../service/errors.ts";
import { createListener } from "../service/listener.ts";
import type { RelayServiceOptions } from "../service/options.ts";
import { createRelay, usualLimits, type Limits } from "./app.ts";
import { openRelayStore } from "./store.ts";

/** How often to delete what has waited for too long (ms). */
const expireMs = 60 * 60 * 1000;
/** All clients and senders together. */
const maxConnections = 2000;
/** How long requests may take to end before the relay does (ms). */
const endMs = 5000;

/** Relays callbacks until it is asked to stop. @throws {Refusal} */
export async function serveRelay(options: RelayServiceOptions): Promise<void> {
  const folder = options.data ?? join(userDataFolder(process.env), "crewdeck", "relay");
  const lock = await lockDataFolder(folder);
  const database = databaseIn(folder);
  const tokenFile = resolve(folder, "relay-token");
  const token = options.token || keptToken(tokenFile);
  const { url, port, close } = await openRelay({ ...options, database, token, log });
  lock.publish({ url, port, instance: randomUUID() });
  const ended = Promise.race([
    ...["SIGTERM", "SIGINT"].map((signal) => once(process, signal)),
    untilDeleted(database),
  ]);
  // Its output may go into a log, so it has no token.
  const printed = { url, data: folder, ...(options.token ? {} : { tokenFile }) };
  process.stdout.write(`${JSON.stringify(printed)}\n`);
  await ended;
  lock.withdraw();
  await close();
  process.exit(0);
}

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

/** The same at each start. For this user only. */
function keptToken(file: string): string {
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const token = randomBytes(24).toString("base64url");
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return token;
}

function log(line: string): void {
  process.stderr.write(`${line}\n`);
}
