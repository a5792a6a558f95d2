import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { asArray, asObject, parseJson, textAt } from "../base/json.ts";
import type { Database } from "./database/database.ts";
import type { Deliveries, Delivery } from "./deliveries.ts";
import { messageOf } from "./errors.ts";
import type { FeedbackWebhook } from "./feedback-webhook.ts";
import type { Log } from "./operations/log.ts";
import type { Metrics } from "./operations/metrics.ts";
import { post } from "./post.ts";

/** The last attempt is about 2.5 hours after the first (5 s, doubled up to an hour). */
export const callbackAttempts = 12;

/** How many callbacks are sent at a time: from each queue, so that a receiver that hangs delays only its own, and in all. Each queue always has one, however many receivers hang. */
const places = { each: 8, all: 256 };

/** Characters kept of what went wrong: of a certificate, it lists all names. */
const longestProblem = 300;

/** The longest pause between looks for callbacks that are due (ms): a timer stands still while the machine sleeps. */
const pauseMs = 1000;

interface Options {
  readonly timeoutMs: number;
  readonly log: Log;
  /** Awaited before each attempt, with the IDs of a callback and its events. */
  readonly onSend: (executionId: string, ids: readonly string[]) => Promise<void>;
  /** The headers of a flow's request for feedback. */
  readonly sign?: FeedbackWebhook["headersFor"] | undefined;
  /** Called when the result of an attempt is stored. */
  readonly onAttempt?: Metrics["callback"] | undefined;
}

/** How long after its time-out a callback that a process was sending is sent by another one (ms). */
const lateMs = 15_000;

/** Sends the stored callbacks, and repeats those that fail. What a process was sending when it ended, the next one sends again. */
export function createSender(
  database: Database,
  deliveries: Deliveries,
  { timeoutMs, log, onSend, sign, onAttempt }: Options,
) {
  const underWay = new Map<string, { readonly queue: string; readonly done: Promise<void> }>();
  let isWorking = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  /** Whether callbacks were added while it looks for them. */
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

  /** Returns when to look again. */
  async function lookOnce(): Promise<number> {
    let next = database.now() + pauseMs;
    try {
      for (const queue of await deliveries.queues()) next = Math.min(next, await begin(queue));
    } catch (error) {
      log(`The service could not look for callbacks: ${messageOf(error)}`);
    }
    return next;
  }

  /** Returns when the next of those that wait is due. */
  async function begin(queue: string): Promise<number> {
    // Some of them may be under way.
    const first = await deliveries.first(queue, 2 * places.each);
    const own = [...underWay.values()].filter((other) => other.queue === queue);
    const left = Math.max(places.all - underWay.size, own.length === 0 ? 1 : 0);
    let free = Math.min(places.each - own.length, left);
    if (free <= 0) return Infinity;
    for (const { id, due } of first) {
      if (underWay.has(id)) continue;
      if (due > database.now()) return due;
      if (free === 0) break;
      free -= 1;
      underWay.set(id, { queue, done: deliver(id) });
    }
    return Infinity;
  }

  /** Never rejects. */
  async function deliver(id: string): Promise<void> {
    try {
      const delivery = await deliveries.take(id, timeoutMs + lateMs);
      if (delivery) {
        const problem = await attempt(delivery);
        // The result could not be stored, for example while the disk is full. That is no reason to send it again.
        while (!(await tryTo(() => settle(delivery, problem))) && isWorking) await sleep(pauseMs);
      }
    } catch (error) {
      log(`A callback could not be read: ${messageOf(error)}`);
      // It is tried again, but not at once.
      await sleep(pauseMs);
    }
    underWay.delete(id);
    lookSoon();
  }

  /** Whether the result of an attempt could be stored. */
  async function tryTo(store: () => Promise<void>): Promise<boolean> {
    try {
      await store();
      return true;
    } catch (error) {
      log(`The result of a callback could not be stored: ${messageOf(error)}`);
      return false;
    }
  }

  /** Sends a callback. Returns what went wrong, undefined if it has arrived. */
  async function attempt(delivery: Delivery): Promise<string | undefined> {
    const { id, executionId, kind, url, authorization, body } = delivery;
    await onSend(executionId, [id, ...eventIds(body)]);
    const headers = {
      "User-Agent": "crewdeck",
      "Webhook-Id": id,
      ...(authorization !== undefined && { Authorization: authorization }),
      ...(kind === "feedback_request" && sign?.(body)),
    };
    try {
      await post(url, headers, body, timeoutMs);
      return undefined;
    } catch (error) {
      return messageOf(error).slice(0, longestProblem);
    }
  }

  async function settle(delivery: Delivery, problem: string | undefined): Promise<void> {
    const { id, executionId, kind = "unknown", authorization } = delivery;
    const hasSecret = authorization !== undefined;
    if (problem === undefined) await deliveries.settle(id, "sent", hasSecret);
    else {
      const { failures, due } = await deliveries.fail(delivery, problem);
      const name = nameOf(delivery);
      if (failures === 1)
        log(`${name} failed, and is sent again at ${new Date(due).toISOString()}: ${problem}`, {
          execution_id: executionId,
        });
      if (failures < callbackAttempts) {
        onAttempt?.(kind, "failed");
        return;
      }
      await deliveries.settle(id, "given up", hasSecret);
      log(`${name} was given up after ${callbackAttempts} attempts: ${problem}`, {
        level: "error",
        execution_id: executionId,
      });
    }
    onAttempt?.(kind, problem === undefined ? "delivered" : "given_up");
  }

  return {
    work(): void {
      isWorking = true;
      stopListening = database.onNotice(({ kind }) => {
        if (kind === "callback") lookSoon();
      });
      lookSoon();
    },
    /** Finishes the attempts that are under way. */
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
  const which = kind === undefined ? "A callback" : `The ${kind.replace("_", "-")} callback`;
  return `${which} of execution ${executionId} to ${new URL(url).origin}`;
}

function eventIds(body: string): string[] {
  return asArray(asObject(parseJson(body))["events"]).flatMap(
    (event) => textAt(asObject(event), "id") ?? [],
  );
}
