import { createParser, type EventSourceMessage } from "eventsource-parser";
import { compactDecrypt, importJWK, type JWK } from "jose";
import { Deadline, type Fetch } from "../api/transport.ts";
import { wait } from "../base/clock.ts";
import type { ProblemLog } from "../base/errors.ts";
import { asObject, defined, isObject, numberAt, parseJson, textAt } from "../base/json.ts";
import {
  answerMs,
  askRelay,
  type Channel,
  connect,
  type RelayConnection,
  RelayError,
  unreachable,
  unreadable,
} from "./relay-channel.ts";
import type { Delivery, Receive } from "./routes.ts";

// For a new channel. All of jose would ship if one took it from there by itself.
export { exportJWK, generateKeyPair } from "jose";

export interface RelayClientOptions extends Omit<RelayConnection, "signal"> {
  /** Opens the channel, before each connection: another window may have created a new one. */
  readonly open: () => Promise<Channel>;
  readonly receive: Receive;
  /** The ID of the last message that was handled, by the channel's address, so that the relay sends only later ones. */
  readonly lastIds: {
    get(address: string): string | undefined;
    set(address: string, id: string): void;
  };
  readonly onGone: (channel: Channel, problem: RelayError) => Promise<void>;
  readonly random?: () => number;
  readonly log: ProblemLog;
}

/** How long a connection may be silent (ms). smee.io and the Crewdeck relay send a ping at least every 30 s. */
const silenceMs = 75_000;
/** The upper bound of the first wait before connecting again (ms); it doubles each time. */
const firstWait = 1000;
const longestWait = 5 * 60_000;
/** The largest callback, sealed, has less than 2 MB. */
const maxEvent = 4 * 1024 * 1024;

export class RelayClient {
  readonly #options: RelayClientOptions;
  readonly #ending = new AbortController();
  #restart = new AbortController();
  #channel: Channel | undefined;
  state: "connecting" | "connected" | Error = "connecting";
  #failures = 0;
  #hasLeftOut = false;
  readonly #ended: Promise<void>;

  constructor(options: RelayClientOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  /** Connects again if there is another channel now: the setting was changed, or a window has created one. */
  async look(): Promise<void> {
    const channel = await this.#options.open().catch(() => undefined);
    if (channel?.address !== this.#channel?.address) this.#restart.abort();
  }

  async dispose(): Promise<void> {
    this.#ending.abort();
    await this.#ended;
  }

  get #signal(): AbortSignal {
    return AbortSignal.any([this.#ending.signal, this.#restart.signal]);
  }

  async #run(): Promise<void> {
    const { clock, log, open, onGone } = this.#options;
    while (!this.#isDisposed()) {
      this.#restart = new AbortController();
      let rest = 0;
      try {
        this.#channel = await open();
        await this.#listen(this.#channel);
        this.state = "connecting";
      } catch (error) {
        if (this.#isDisposed()) return;
        if (this.#restart.signal.aborted) continue;
        const failure = error instanceof Error ? error : new Error(String(error));
        const isKnown = failure instanceof RelayError;
        if (!isKnown || !(this.state instanceof Error))
          log.problem("Listening to the callbacks' relay failed.", failure);
        this.state = failure;
        if (isKnown) rest = failure.retryAfterMs;
        if (isKnown && failure.isGone && this.#channel) await onGone(this.#channel, failure);
      }
      await wait(clock, rest + this.#backOff(this.#failures++), this.#signal);
    }
  }

  async #listen(channel: Channel): Promise<void> {
    const { lastIds, clock } = this.#options;
    const { address: url, own } = channel;
    const deadline = new Deadline(clock, answerMs, this.#signal);
    const events: EventSourceMessage[] = [];
    const parser = createParser({
      maxBufferSize: maxEvent,
      onEvent: (event) => events.push(event),
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") throw unreadable();
      },
    });
    const lastId = lastIds.get(url);
    const accept = "text/event-stream";
    const request = { method: "GET", url, secret: own?.secret, accept, lastId } as const;
    try {
      const answer = await connect(this.#options, request, deadline);
      if (!answer.headers.get("content-type")?.startsWith(accept)) throw unreadable();
      this.state = "connected";
      // A relay that is full of them accepts nothing more.
      if (lastId !== undefined) void this.#acknowledge(channel, lastId);
      for await (const text of partsOf(answer, deadline)) {
        parser.feed(text);
        if (events.length > 0) this.#failures = 0;
        const messages = events.splice(0).filter(({ event }) => (event ?? "message") === "message");
        const id = await this.#handle(channel, messages);
        if (id === undefined) continue;
        lastIds.set(url, id);
        await this.#acknowledge(channel, id);
      }
    } finally {
      deadline.dispose();
    }
  }

  /** At once: the receiver stores them in one transaction. @returns the last ID that is done */
  async #handle({ own }: Channel, messages: readonly EventSourceMessage[]) {
    const deliveries = await Promise.all(
      messages.map(async ({ data }) =>
        own ? await this.#unseal(data, own.privateKey) : readSmee(data),
      ),
    );
    const areDone = await Promise.all(deliveries.map((delivery) => this.#deliver(delivery)));
    const id = messages[areDone.concat(false).indexOf(false) - 1]?.id;
    // The ID is sent back in a header, which allows only these characters.
    return id !== undefined && /^[\x21-\x7e]{1,200}$/.test(id) ? id : undefined;
  }

  async #unseal(data: string, privateKey: JWK): Promise<Delivery | undefined> {
    const delivery = await unseal(data, privateKey);
    if (delivery === undefined && !this.#hasLeftOut) {
      this.#hasLeftOut = true;
      const why = new Error("It is sealed for another key, or not sealed.");
      this.#options.log.problem("A callback of the relay can't be read, and is left out.", why);
    }
    return delivery;
  }

  /** Passes on a callback, again and again if it can't be stored now. @returns whether the message is done with */
  async #deliver(delivery: Delivery | undefined): Promise<boolean> {
    const { receive, clock } = this.#options;
    const signal = this.#signal;
    for (let failures = 0; delivery && !signal.aborted; failures++) {
      const status = await receive(delivery);
      if (status < 500 && status !== 408 && status !== 429) return true;
      await wait(clock, this.#backOff(failures), signal);
    }
    return delivery === undefined;
  }

  /** Tells a Crewdeck relay to delete the handled messages. If that fails, the next message or connection does it. Never rejects. */
  async #acknowledge({ address, own }: Channel, id: string): Promise<void> {
    if (own === undefined) return;
    const url = `${address}/messages?through=${encodeURIComponent(id)}`;
    try {
      const connection = { ...this.#options, signal: this.#signal };
      await askRelay(connection, { method: "DELETE", url, secret: own.secret });
    } catch (error) {
      if (!this.#signal.aborted)
        this.#options.log.problem("Acknowledging the relay's callbacks failed.", error);
    }
  }

  #backOff(failures: number): number {
    const most = Math.min(firstWait * 2 ** failures, longestWait);
    const { random = Math.random } = this.#options;
    return most / 2 + (most / 2) * random();
  }

  #isDisposed(): boolean {
    return this.#ending.signal.aborted;
  }
}

/** The parts of a body as they arrive. Ends the connection after a long silence. @throws {RelayError} */
async function* partsOf({ body }: Awaited<ReturnType<Fetch>>, deadline: Deadline) {
  const decoder = new TextDecoder();
  try {
    deadline.restart(silenceMs);
    for await (const part of body ?? []) {
      deadline.pause();
      yield typeof part === "string" ? part : decoder.decode(part, { stream: true });
      deadline.restart(silenceMs);
    }
  } catch (error) {
    throw unreachable(error, deadline);
  }
}

/** A message of smee.io: the callback's headers, `body`, `query` and `timestamp`, a number. Undefined if it isn't for Crewdeck. */
export function readSmee(data: string): Delivery | undefined {
  const { body, query, ...headers } = asObject(parseJson(data));
  const path = textAt(asObject(query), "crewdeck");
  if (path === undefined || body === undefined) return undefined;
  const bytes = Buffer.from(JSON.stringify(body));
  return { path: `/${path}`, headers: texts(headers), body: bytes, isRewritten: true };
}

async function unseal(data: string, privateKey: JWK): Promise<Delivery | undefined> {
  try {
    const key = await importJWK(privateKey, "ECDH-ES");
    const { plaintext } = await compactDecrypt(data, key, {
      keyManagementAlgorithms: ["ECDH-ES"],
      contentEncryptionAlgorithms: ["A256GCM"],
    });
    const message = asObject(parseJson(Buffer.from(plaintext).toString()));
    const { path, headers, body } = message;
    if (typeof path !== "string" || !isObject(headers) || typeof body !== "string")
      return undefined;
    const arrived = defined({ arrivedAt: numberAt(message, "arrivedAt") });
    return { path, headers: texts(headers), body: Buffer.from(body, "base64"), ...arrived };
  } catch {
    return undefined;
  }
}

function texts(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name.toLowerCase(), value] as const] : [],
  );
  return Object.fromEntries(entries);
}
