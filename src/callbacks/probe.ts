import * as l10n from "@vscode/l10n";
import { type Clock, wait } from "../base/clock.ts";
import { messageOf } from "../base/errors.ts";
import type { Paths } from "./paths.ts";

/** How often to look whether the request has arrived, perhaps in another window (ms). */
const lookEvery = 20;

interface ProbeOptions {
  readonly paths: Pick<Paths, "newProbe" | "hasArrived">;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Whether no relay is in between. Then the request has arrived before it is answered, or never will. */
  readonly isDirect?: boolean;
}

/**
 * Sends a request, without token and cookie, to an address that should lead to this machine.
 * @returns how long it took (ms), or a text that says why it did not arrive
 */
export async function roundTrip(
  urlOf: (path: string) => string,
  { paths, clock, timeoutMs, isDirect = false }: ProbeOptions,
): Promise<number | string> {
  const began = clock.now();
  const path = paths.newProbe(began);
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(urlOf(path), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "{}",
      redirect: "manual",
      signal,
    });
    await response.body?.cancel();
    if (!response.ok) return l10n.t("it answered with the status {0}", response.status);
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return signal.aborted ? noArrival(timeoutMs) : messageOf(cause);
  }
  // A relay answers before it delivers.
  while (!paths.hasArrived(path))
    if (isDirect || !(await wait(clock, lookEvery, signal))) return noArrival(timeoutMs);
  return clock.now() - began;
}

function noArrival(timeoutMs: number): string {
  return l10n.t("nothing arrived here within {0} seconds", timeoutMs / 1000);
}
