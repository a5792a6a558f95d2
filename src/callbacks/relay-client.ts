import * as l10n from "@vscode/l10n";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { wait } from "../base/clock.ts";
import { messageOf, type ProblemLog } from "../base/errors.ts";
import { Emitter } from "../base/events.ts";
import type { Delivery, Receive } from "./delivery.ts";
import type { Channel } from "./relay-channel.ts";
import { readSmee, unseal } from "./relay-messages.ts";
import {
  askRelay,
  connect,
  read,
  RelayError,
  SilenceGuard,
  type RelayConnection,
} from "./relay-request.ts";

/** Keeps the ID of the last message that was handled, so that the relay sends only later ones. */
export interface LastEventId {
  get(): string | undefined;
  set(id: string): void;
}

export interface RelayClientOptions extends Omit<RelayConnection, "signal"> {
  readonly channel: Channel;
  readonly receive: Receive;
  readonly lastEventId: LastEventId;
  readonly random: () => number;
  readonly log: ProblemLog;
}

type RelayState =
  | { readonly kind: "connecting" | "connected" }
  /** Tries again later. With `isGone`, only a new channel helps. */
  | { readonly kind: "failed"; readonly message: string; readonly isGone: boolean };

/** How long a connection may be silent (ms). smee.io and the Crewdeck relay send a ping at least every 30 s. */
const silenceMs = 75_000;
/** The upper bound of the first wait before connecting again (ms); it doubles each time. */
const firstWait = 1000;
const longestWait = 5 * 60_000;
/** The largest callback, sealed, has less than 2 MB. */
const maxEvent = 4 * 1024 * 1024;

/** Listens to a channel, and passes its callbacks on in order, until it is disposed. */
export class RelayClient {
  readonly #options: RelayClientOptions;
  readonly #connection: RelayConnection;
  readonly #ending = new AbortController();
  readonly #changed: Emitter<RelayState>;
  readonly onDidChangeState;
  #state: RelayState = { kind: "connecting" };
  /** How often in a row a connection ended without a message. */
  #failures = 0;
  /** The last message that the relay was told to delete. */
  #acknowledged: string | undefined;
  #isAcknowledging = false;
  /** Whether a message could not be read, which is logged once. */
  #hasLeftOut = false;
  readonly #ended: Promise<void>;

  constructor(options: RelayClientOptions) {
    this.#options = options;
    this.#connection = { ...options, signal: this.#ending.signal };
    this.#changed = new Emitter((error) =>
      options.log.problem("A listener of the relay's state failed.", error),
    );
    this.onDidChangeState = this.#changed.event;
    this.#ended = this.#run();
  }

  get state(): RelayState {
    return this.#state;
  }

  /** Resolves once no callback is being passed on. */
  async dispose(): Promise<void> {
    this.#ending.abort();
    this.#changed.dispose();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options;
    while (!this.#isDisposed()) {
      let rest = 0;
      try {
        await this.#listen();
        this.#change({ kind: "connecting" });
      } catch (error) {
        if (this.#isDisposed()) return;
        const isKnown = error instanceof RelayError;
        if (!isKnown || this.#state.kind !== "failed")
          log.problem("Listening to the callbacks' relay failed.", error);
        rest = isKnown ? (error.retryAfterMs ?? 0) : 0;
        const isGone = isKnown && error.isGone;
        this.#change({ kind: "failed", message: messageOf(error), isGone });
      }
      await wait(clock, rest + this.#backOff(this.#failures++), this.#ending.signal);
    }
  }

  /** Listens until the connection ends. @throws {RelayError} */
  async #listen(): Promise<void> {
    const { channel, clock, lastEventId } = this.#options;
    const guard = new SilenceGuard(clock, this.#ending.signal);
    const events: EventSourceMessage[] = [];
    const parser = createParser({
      maxBufferSize: maxEvent,
      onEvent: (event) => events.push(event),
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded")
          throw new RelayError(l10n.t("The relay sent too large a message."));
      },
    });
    try {
      const answer = await connect(
        this.#connection,
        {
          method: "GET",
          url: channel.address,
          accept: "text/event-stream",
          secret: channel.own?.secret,
          lastEventId: lastEventId.get(),
        },
        guard,
      );
      if (!answer.headers.get("content-type")?.startsWith("text/event-stream"))
        throw new RelayError(l10n.t("There is no relay's channel at this address."));
      this.#change({ kind: "connected" });
      this.#acknowledge();
      for await (const text of read(answer.body, guard, silenceMs)) {
        parser.feed(text);
        if (events.length > 0) this.#failures = 0;
        await this.#handle(events.splice(0).filter(isMessage));
        this.#acknowledge();
      }
    } finally {
      guard.dispose();
    }
  }

  /** Passes on messages that arrived together, all at once: the receiver stores them in one transaction. */
  async #handle(messages: readonly EventSourceMessage[]): Promise<void> {
    const deliveries = await Promise.all(messages.map(({ data }) => this.#read(data)));
    const areDone = await Promise.all(deliveries.map((delivery) => this.#deliver(delivery)));
    const id = messages[areDone.concat(false).indexOf(false) - 1]?.id;
    // The ID is sent back in a header, which allows only these characters.
    if (id !== undefined && /^[\x21-\x7e]{1,200}$/.test(id)) this.#options.lastEventId.set(id);
  }

  /** Reads a message. Undefined if it isn't a callback for Crewdeck, or can't be decrypted. */
  async #read(data: string): Promise<Delivery | undefined> {
    const { channel, log } = this.#options;
    if (!channel.own) return readSmee(data);
    const delivery = await unseal(data, channel.own.privateKey);
    if (delivery === undefined && !this.#hasLeftOut)
      log.problem(
        "A callback of the relay can't be read, and is left out.",
        new Error("It is sealed for another key, or not sealed."),
      );
    this.#hasLeftOut ||= delivery === undefined;
    return delivery;
  }

  /** Passes on a callback, again and again if it can't be stored now. @returns whether the message is done with */
  async #deliver(delivery: Delivery | undefined): Promise<boolean> {
    const { receive, clock } = this.#options;
    for (let failures = 0; delivery && !this.#isDisposed(); failures++) {
      const status = await receive(delivery);
      if (status < 500 && status !== 408 && status !== 429) return true;
      await wait(clock, this.#backOff(failures), this.#ending.signal);
    }
    return delivery === undefined;
  }

  /** Tells a Crewdeck relay to delete the handled messages. If that fails, the next message or connection tries again. */
  #acknowledge(): void {
    if (this.#isAcknowledging || !this.#options.channel.own) return;
    this.#isAcknowledging = true;
    this.#acknowledgeAll()
      .catch((error: unknown) => {
        if (!this.#isDisposed())
          this.#options.log.problem("Acknowledging the relay's callbacks failed.", error);
      })
      .finally(() => (this.#isAcknowledging = false));
  }

  async #acknowledgeAll(): Promise<void> {
    const { channel, lastEventId } = this.#options;
    for (let id = lastEventId.get(); id !== this.#acknowledged; id = lastEventId.get()) {
      if (id === undefined) return;
      await askRelay(this.#connection, {
        method: "DELETE",
        url: `${channel.address}/messages?through=${encodeURIComponent(id)}`,
        secret: channel.own?.secret,
      });
      this.#acknowledged = id;
    }
  }

  /** How long to wait before connecting again (ms). Half of it is random. */
  #backOff(failures: number): number {
    const most = Math.min(firstWait * 2 ** failures, longestWait);
    return most / 2 + (most / 2) * this.#options.random();
  }

  #isDisposed(): boolean {
    return this.#ending.signal.aborted;
  }

  #change(state: RelayState): void {
    this.#state = state;
    this.#changed.fire(state);
  }
}

function isMessage({ event = "message" }: EventSourceMessage): boolean {
  return event === "message";
}
