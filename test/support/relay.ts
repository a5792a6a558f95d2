import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { defaultFetch } from "../../src/api/transport.ts";
import { systemClock } from "../../src/base/clock.ts";
import type { Delivery } from "../../src/callbacks/routes.ts";
import { type Channel, Channels } from "../../src/callbacks/relay-channel.ts";
import { RelayClient, type RelayClientOptions } from "../../src/callbacks/relay-client.ts";
import type { Limits } from "../../src/relay/app.ts";
import { openRelay } from "../../src/relay/serve-relay.ts";
import { atEndOfTest } from "./ends.ts";
import { projectFolder, temporaryFolder } from "./folders.ts";
import { SecretMemory } from "./secret-memory.ts";
import { rowsIn } from "./sqlite.ts";
import { longestWait, waitFor } from "./wait.ts";

export const relayToken = "relay-token-of-the-tests";

/** What a client needs besides its channel. */
export const line = { fetch: defaultFetch, clock: systemClock, userAgent: "test" };

export function channelAt(address: string, token = relayToken): Promise<Channel> {
  const channels = new Channels({ ...line, secrets: new SecretMemory(), machine: () => "test" });
  return channels.open(address, () => Promise.resolve(token));
}

/** A relay of one's own in this process, with a folder of its own. It ends with the test, and fails it if it has logged anything. */
export class OwnRelay {
  readonly folder = temporaryFolder("relay");
  readonly log: string[] = [];
  #relay: Awaited<ReturnType<typeof openRelay>> | undefined;
  #port = 0;

  constructor() {
    atEndOfTest(() => this.end());
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get database(): string {
    return path.join(this.folder, "crewdeck.sqlite");
  }

  async start(limits: Partial<Limits> = {}, database = this.database): Promise<void> {
    await this.stop();
    this.#relay = await openRelay({
      ...{ database, token: relayToken, host: "127.0.0.1", port: this.#port, limits },
      log: (message) => this.log.push(message),
    });
    this.#port = Number(new URL(this.#relay.url).port);
  }

  async stop(): Promise<void> {
    await this.#relay?.close();
    this.#relay = undefined;
  }

  async end(): Promise<void> {
    await this.stop();
    assert.deepEqual(this.log, []);
  }

  waiting(): unknown {
    return rowsIn(this.database, "SELECT count(*) AS count FROM messages")[0]?.["count"];
  }
}

/** A client with a receiver that stores everything in memory. It listens until the test ends. */
export class Listening {
  readonly received: Delivery[] = [];
  readonly problems: unknown[] = [];
  readonly client: RelayClient;

  /** @param kept has the last event's ID and outlives the client */
  constructor(
    channel: Channel,
    kept: { id?: string } = {},
    more: Partial<RelayClientOptions> = {},
  ) {
    this.client = new RelayClient({
      ...line,
      open: () => Promise.resolve(channel),
      onGone: () => Promise.resolve(),
      random: () => 0,
      receive: (delivery) => {
        this.received.push(delivery);
        return Promise.resolve(202);
      },
      lastIds: { get: () => kept.id, set: (_, id) => (kept.id = id) },
      log: { problem: (_, error) => this.problems.push(error) },
      ...more,
    });
    atEndOfTest(() => this.client.dispose());
  }

  get bodies(): readonly string[] {
    return this.received.map(({ body }) => Buffer.from(body).toString());
  }

  connected = () => waitFor("the relay's connection", () => this.client.state === "connected");

  until = (count: number) => waitFor(`${count} callbacks`, () => this.received.length >= count);
}

/** Sends a callback on a connection of its own, and returns the status. */
export async function post(url: string, body: string | object, headers = {}): Promise<number> {
  const { status } = await defaultFetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    redirect: "manual",
    signal: AbortSignal.timeout(longestWait),
  });
  return status;
}

/** The relay as a program, from its source. */
export async function startRelayProcess(data: string, port = 0) {
  const args = ["--relay", "--data", data, "--port", String(port), "--token", relayToken];
  const child = spawn(
    process.execPath,
    [path.join(projectFolder, "src/service/main.ts"), ...args],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const ended = once(child, "close");
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, "line"), ended]);
  const { url } = JSON.parse(String(first[0])) as { url: string };
  const end = async (signal: NodeJS.Signals): Promise<unknown> => {
    child.kill(signal);
    const [code] = (await ended) as unknown[];
    return code;
  };
  return { url, kill: () => end("SIGKILL"), stop: () => end("SIGTERM") };
}

export function bytesIn(folder: string): Buffer {
  return Buffer.concat(readdirSync(folder).map((name) => readFileSync(path.join(folder, name))));
}
