import assert from "node:assert/strict";
import { request } from "node:http";
import { defaultFetch } from "../../../src/api/transport.ts";
import { type Clock, systemClock } from "../../../src/base/clock.ts";
import { Emitter } from "../../../src/base/events.ts";
import { Callbacks } from "../../../src/callbacks/callbacks.ts";
import { publicUrlRoute, Relay } from "../../../src/callbacks/routes.ts";
import type { CrewRef, Execution } from "../../../src/executions/model.ts";
import type { ExecutionStore } from "../../../src/executions/store.ts";
import type { Database } from "../../../src/store/database.ts";
import { anExecution } from "../executions/samples.ts";
import { atEndOfTest } from "../../support/ends.ts";
import { relayToken } from "../../support/relay.ts";
import { SecretMemory } from "../../support/secret-memory.ts";
import { Windows } from "../executions/windows.ts";

export const localCrew: CrewRef = {
  id: "local:file:///crew",
  name: "Local",
  url: "http://127.0.0.1:1",
};
export const deployedCrew: CrewRef = {
  id: "url:https://crew.test",
  name: "Deployed",
  url: "https://crew.test",
};

export interface ReceivingWindow {
  readonly store: ExecutionStore;
  readonly database: Database;
  readonly callbacks: Callbacks;
  readonly polled: string[];
  close(): void;
}

/** Tells all windows of changes, as VS Code does. */
class SharedSecrets extends SecretMemory {
  readonly #changed = new Emitter<unknown>((error) => assert.fail(String(error)));
  readonly onDidChange = this.#changed.event;

  override async store(key: string, value: string): Promise<void> {
    await super.store(key, value);
    this.#changed.fire(undefined);
  }

  override async delete(key: string): Promise<void> {
    await super.delete(key);
    this.#changed.fire(undefined);
  }
}

/** Windows of one machine that receive callbacks; they end with the test. */
export class ReceivingWindows {
  readonly windows = new Windows();
  readonly secrets: SharedSecrets;
  publicUrl = "";
  /** The setting, whose changes are noticed at the next use, or when a secret changes. */
  relay = "";
  /** Why requests of flows were refused, with their crew. */
  readonly refused: string[] = [];
  /** Why callbacks don't arrive, as a notification says it. */
  readonly broken: string[] = [];
  /** How often the person was asked for the relay's token. */
  asked = 0;
  /** What a window does when it asks for a status. */
  onPoll: (store: ExecutionStore) => unknown = () => undefined;

  /** @param secrets of another machine: windows on a remote host have those of the person's computer */
  constructor(secrets = new SharedSecrets()) {
    this.secrets = secrets;
  }

  open(clock: Clock = systemClock): ReceivingWindow {
    const { store, database } = this.windows.openBoth(clock);
    const polled: string[] = [];
    const log = {
      problem: (doing: string, error: unknown) =>
        this.windows.problems.push(`${doing} ${String(error)}`),
    };
    const relay = new Relay({
      ...{ database, clock, log, secrets: this.secrets, fetch: defaultFetch, userAgent: "test" },
      read: () => this.relay,
      onDidChange: this.secrets.onDidChange,
      onBroken: ({ message }) => this.broken.push(message),
      askToken: () => {
        this.asked += 1;
        return Promise.resolve(relayToken);
      },
    });
    const callbacks = new Callbacks({
      ...{ store, database },
      clock,
      routes: [publicUrlRoute(() => this.publicUrl), relay],
      crews: { find: (id) => [localCrew, deployedCrew].find((crew) => crew.id === id) },
      storage: this.secrets,
      onRefused: ({ name }, why) => this.refused.push(`${name}: ${why}`),
      onBroken: ({ message }) => this.broken.push(message),
      poll: (localId) => {
        polled.push(localId);
        return Promise.resolve(this.onPoll(store));
      },
      log,
    });
    callbacks.begin();
    const close = () => callbacks.dispose();
    atEndOfTest(close);
    return { store, database, callbacks, polled, close };
  }
}

/** An execution of a local crew that is tracked, with where its crew calls back. */
export async function receiving(
  { store, callbacks }: Pick<ReceivingWindow, "store" | "callbacks">,
  changes: Partial<Execution> = {},
): Promise<{ readonly localId: string; readonly url: string; readonly token: string }> {
  const { localId } = store.add(anExecution({ crew: localCrew, ...changes }));
  const address = await callbacks.for(localCrew, localId);
  if (address === undefined) throw new Error("There is no address.");
  return { localId, ...address };
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

/** Sends a callback as crews do, and resolves with the status. */
export async function send(url: string, body: unknown, { headers, method = "POST" }: Sent = {}) {
  const response = await fetch(url, {
    method,
    ...(method === "POST" && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    headers: { "Content-Type": "application/json", ...headers },
  });
  await response.body?.cancel();
  return response.status;
}

/** Begins a request, sends nothing more, and resolves with what ended it. */
export async function beginSlowly(url: string, contentLength: number): Promise<number | string> {
  return await new Promise((resolve) => {
    const sent = request(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Content-Length": contentLength },
    });
    sent.on("response", ({ statusCode = 0 }) => resolve(statusCode));
    sent.on("error", (error) => resolve(error.message));
    sent.write('{"a":');
  });
}
