import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { setImmediate } from "node:timers/promises";
import { asObject, numberAt, parseJson } from "../base/json.ts";
import { patiently, type Database } from "./database/database.ts";
import { callbackAttempts, type Deliveries, type Delivery, type Queue } from "./deliveries.ts";
import { messageOf } from "./errors.ts";
import type { FeedbackWebhook } from "./feedback-webhook.ts";
import type { Log } from "./operations/log.ts";
import type { Metrics } from "./operations/metrics.ts";
import type { CallbackNetworks } from "./networks.ts";

/** How many callbacks are sent at a time: from each queue, so that a receiver that hangs delays only its own, and in all. */
const places = { each: 8, all: 128 };

/** How many queues of a crew one look visits, and the pause before it visits the next ones (ms). */
const visit = { queues: 64, pauseMs: 50 };

/** Characters kept of what went wrong: of a certificate, it lists all names. */
const longestProblem = 300;

/** The longest pause between looks for callbacks that are due (ms): a timer stands still while the machine sleeps. */
const pauseMs = 1000;

interface Options {
  readonly timeoutMs: number;
  readonly log: Log;
  /** Where callbacks may be sent; undefined for everywhere. What the operator has configured is sent there in any case. */
  readonly networks?: CallbackNetworks | undefined;
  readonly sign?: FeedbackWebhook["headersFor"] | undefined;
  /** Sends a request of an ended execution's trace. Undefined if this process sends none. */
  readonly exportSpans:
    ((executionId: string, from: number) => Promise<number | undefined>) | undefined;
  readonly onAttempt?: Metrics["callback"] | undefined;
}

/** How long after its time-out a callback that a process was sending is sent by another one (ms). */
const lateMs = 15_000;

/** Sends the stored callbacks, and repeats those that fail. What a process was sending when it ended, the next one sends again. */
export function createSender(
  database: Database,
  deliveries: Deliveries,
  { timeoutMs, networks, log, sign, exportSpans, onAttempt }: Options,
) {
  const underWay = new Map<string, Queue & { readonly done: Promise<void> }>();
  /** By crew, the queue after which the next look goes on. */
  const visited = new Map<string, string>();
  let isWorking = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isDue = false;
  let stopListening = (): void => undefined;

  function lookSoon(): void {
    isDue = true;
    if (isWorking) looking ??= look();
  }

  async function look(): Promise<void> {
    // Callbacks that are added at the same time need only one look.
    await setImmediate();
    let next = 0;
    while (isDue && isWorking) {
      isDue = false;
      next = await lookOnce();
    }
    looking = undefined;
    clearTimeout(timer);
    if (isWorking) timer = setTimeout(lookSoon, Math.max(0, next - database.now()));
  }

  async function lookOnce(): Promise<number> {
    let next = database.now() + pauseMs;
    try {
      for (const { name, due } of await deliveries.crews())
        next = Math.min(next, due > database.now() ? due : await begin(name));
    } catch (error) {
      log(`The service could not look for callbacks: ${messageOf(error)}`);
    }
    return next;
  }

  /** Sends what is due of a crew, as far as there is room. Returns when to look again. */
  async function begin(crew: string): Promise<number> {
    if (roomFor(crew) <= 0) return Infinity;
    const after = visited.get(crew) ?? "";
    const queues = await deliveries.queues(crew, after, visit.queues);
    const isPart = after !== "" || queues.length === visit.queues;
    let next = isPart ? database.now() + visit.pauseMs : Infinity;
    visited.delete(crew);
    for (const { name, due } of queues) {
      if (roomFor(crew) <= 0) return next;
      if (due > database.now()) next = Math.min(next, due);
      else await beginQueue({ crew, name });
      visited.set(crew, name);
    }
    if (queues.length < visit.queues) visited.delete(crew);
    return next;
  }

  async function beginQueue(queue: Queue): Promise<void> {
    const own = ofCrew(queue.crew).filter(({ name }) => name === queue.name).length;
    const room = Math.min(places.each - own, roomFor(queue.crew));
    if (room <= 0) return;
    for (const delivery of await deliveries.take(queue, room, timeoutMs + lateMs))
      underWay.set(delivery.id, { ...queue, done: deliver(delivery) });
  }

  /** A crew gets as many places as it leaves free: one crew at most half of them, two a third each, and others find some left. */
  function roomFor(crew: string): number {
    return Math.ceil((places.all - underWay.size - ofCrew(crew).length) / 2);
  }

  function ofCrew(crew: string): readonly Queue[] {
    return [...underWay.values()].filter((other) => other.crew === crew);
  }

  async function deliver(delivery: Delivery): Promise<void> {
    try {
      const problem = await attempt(delivery);
      // That it can't be stored now, for example on a full disk, is no reason to send it again.
      await patiently(
        () => settle(delivery, problem),
        (error) => log(`The result of a callback could not be stored: ${messageOf(error)}`),
      );
    } catch (error) {
      log(`A callback is sent again later: ${messageOf(error)}`);
    }
    underWay.delete(delivery.id);
    lookSoon();
  }

  async function attempt(delivery: Delivery): Promise<string | undefined> {
    const { id, kind, url, authorization, body } = delivery;
    const isOwn = kind === "feedback_request";
    const headers = {
      "User-Agent": "crewdeck",
      "Webhook-Id": id,
      ...(authorization !== undefined && { Authorization: authorization }),
      ...(isOwn && sign?.(body)),
    };
    try {
      if (kind === "spans") await sendSpans(delivery);
      else await post(url, headers, body, timeoutMs, isOwn ? undefined : networks);
      return undefined;
    } catch (error) {
      return messageOf(error).slice(0, longestProblem);
    }
  }

  /** What is left of the trace is another request, so that what was accepted isn't sent again. */
  async function sendSpans({ executionId, body }: Delivery): Promise<void> {
    if (exportSpans === undefined) throw new Error("This process has no --otlp-endpoint.");
    const from = numberAt(asObject(parseJson(body)), "from") ?? 0;
    const next = await exportSpans(executionId, from);
    if (next !== undefined)
      await database.transaction(() => deliveries.addSpans(executionId, next));
  }

  async function settle(delivery: Delivery, problem: string | undefined): Promise<void> {
    const { id, executionId, kind, failures } = delivery;
    if (problem === undefined) {
      await deliveries.arrived(id);
      onAttempt?.(kind, "delivered");
      return;
    }
    const due = await deliveries.failed(delivery, problem);
    onAttempt?.(kind, due === undefined ? "given_up" : "failed");
    const name = nameOf(delivery);
    if (due === undefined)
      log(`${name} was given up after ${callbackAttempts} attempts: ${problem}`, {
        level: "error",
        execution_id: executionId,
      });
    else if (failures === 0)
      log(`${name} failed, and is sent again at ${new Date(due).toISOString()}: ${problem}`, {
        execution_id: executionId,
      });
  }

  return {
    work(): void {
      isWorking = true;
      stopListening = database.onNotice(({ kind }) => {
        if (kind === "callback") lookSoon();
      });
      lookSoon();
    },
    async close(): Promise<void> {
      isWorking = false;
      stopListening();
      clearTimeout(timer);
      await looking;
      await Promise.all([...underWay.values()].map(({ done }) => done));
    },
  };
}

/** An address for the log: without its path, which may be a secret. */
function nameOf({ kind, executionId, url }: Delivery): string {
  const which =
    kind === "spans" ? "A request with spans" : `The ${kind.replace("_", "-")} callback`;
  return `${which} of execution ${executionId} to ${URL.parse(url)?.origin ?? "its receiver"}`;
}

/** How much of a response is read to let its receiver finish (bytes). */
const longestRead = 100_000;

/**
 * Sends JSON to any port: `fetch` blocks some. Doesn't follow a redirect, which would send outputs and credentials to
 * another address. Rejects if the receiver doesn't accept it in time.
 * @param networks to which it is sent; undefined for any
 */
export function post(
  address: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  timeoutMs: number,
  networks?: CallbackNetworks,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const url = new URL(address);
    const signal = AbortSignal.timeout(timeoutMs);
    const request = (url.protocol === "https:" ? requestSecure : requestPlain)(url, {
      method: "POST",
      headers: {
        ...headers,
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        // Receivers close unused connections, and what is sent at that moment fails.
        Connection: "close",
      },
      signal,
      ...networks?.optionsFor(url),
    });
    request.on("response", (response) => {
      const { statusCode = 0 } = response;
      let length = 0;
      response
        .on("error", () => undefined)
        .on("data", (chunk: Buffer) => {
          length += chunk.length;
          if (length > longestRead) request.destroy();
        });
      if (statusCode >= 200 && statusCode < 300) resolve();
      else reject(new Error(`The receiver answered ${statusCode}.`));
    });
    request.on("error", (error) => {
      const late = `The receiver did not answer within ${timeoutMs / 1000} s.`;
      reject(signal.aborted ? new Error(late) : error);
    });
    request.end(body);
  });
}
