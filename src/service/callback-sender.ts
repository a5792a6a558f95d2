import { messageOf } from "./messages.ts";
import type { Delivery, DeliveryStore } from "./deliveries.ts";
import type { CallbackTarget } from "./model.ts";

/** How often a callback is tried. With the default first wait of 5 s, doubled up to an hour, the last try is some 2.5 hours after the first. */
export const callbackAttempts = 12;

/** What sending a callback needs. */
export interface CallbackSenderOptions {
  readonly deliveries: DeliveryStore;
  readonly log: (line: string) => void;
  /** Hears of each callback before it leaves. */
  readonly onSend: (id: string) => void;
  /** Milliseconds that a receiver has to answer. */
  readonly timeoutMs: number;
}

/**
 * Makes the function that tries one callback once. It resolves when the callback was taken or has failed for the last time,
 * and rejects when it is to be tried again later.
 */
export function callbackSender({
  deliveries,
  log,
  onSend,
  timeoutMs,
}: CallbackSenderOptions): (id: string) => Promise<void> {
  return async (id) => {
    const delivery = deliveries.pending(id);
    if (!delivery) return;
    onSend(id);
    try {
      await post(delivery, timeoutMs);
    } catch (error) {
      if (deliveries.countFailure(id) < callbackAttempts) throw error;
      deliveries.settle(id, "given up");
      log(
        `A callback of execution ${delivery.executionId} to ${originOf(delivery)} was given up after ${callbackAttempts} attempts: ${messageOf(error)}`,
      );
      return;
    }
    deliveries.settle(id, "sent");
  };
}

async function post({ id, target, body }: Delivery, timeoutMs: number): Promise<void> {
  const response = await fetch(target.url, {
    method: "POST",
    headers: headersOf(id, target),
    body,
    // A redirect would carry outputs, and credentials, to an address that nobody gave.
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The receiver answered ${response.status}.`);
}

function headersOf(id: string, { authorization }: CallbackTarget): Headers {
  const headers = new Headers({
    "Content-Type": "application/json",
    "User-Agent": "crewdeck",
    "Webhook-Id": id,
  });
  try {
    if (authorization !== undefined) headers.set("Authorization", authorization);
  } catch {
    // Node's error quotes the credentials, and why a try failed is stored and logged.
    throw new Error(
      "The credentials of this callback can't be sent: a header can't hold one of their characters.",
    );
  }
  return headers;
}

/** The address without its path, which may be a secret. */
function originOf({ target }: Delivery): string {
  return new URL(target.url).origin;
}
