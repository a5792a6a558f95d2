import * as l10n from "@vscode/l10n";
import { asObject, defined, parseJson, textAt } from "../base/json.ts";
import { oneLine } from "../base/text.ts";
import { safeUrl } from "../base/loopback.ts";
import { CrewApiError, type CrewApiErrorKind, outcome } from "./errors.ts";
import { errorOfFailure } from "./failure-errors.ts";
import { readErrorBody } from "./read-error.ts";
import { nextExchange, type Traffic } from "./traffic.ts";
import { Deadline, readBody, type TransportOptions } from "./transport.ts";
import type { ResumeAnswer } from "./types.ts";

export type OutsideOptions = Pick<TransportOptions, "fetch" | "clock" | "userAgent" | "onTraffic">;

const timeoutMs = 60_000;
/** How much of a response is read. */
const maxBytes = 64 * 1024;
/** How many characters of a response's message are kept. */
const saidLength = 300;

/**
 * Posts the answer to a flow's request, once. The request carries no token, and no redirect is
 * followed. @throws {CrewApiError} `sent: "maybe"` if it may have arrived
 */
export async function sendAnswer(
  url: string,
  feedback: string,
  { fetch, clock, userAgent, onTraffic }: OutsideOptions,
): Promise<ResumeAnswer> {
  const address = safeUrl(url);
  if (address === undefined) throw badAddress();
  const deadline = new Deadline(clock, timeoutMs, undefined);
  // The address may be a secret.
  const exchange = { id: nextExchange(), method: "POST", path: `${address.origin}/…` } as const;
  const started = clock.now();
  // A log that fails must not change the result.
  const log = (traffic: Traffic) => {
    try {
      onTraffic(traffic);
    } catch {
      // VS Code's log throws once it is disposed.
    }
  };
  const end = (result: { readonly status?: number; readonly error?: CrewApiErrorKind }) =>
    log({ kind: "end", ...exchange, ...result, milliseconds: clock.now() - started });
  log({ kind: "request", ...exchange });
  try {
    const answer = await fetch(address.href, {
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        "user-agent": userAgent,
      },
      body: JSON.stringify({ feedback, source: "crewdeck" }),
      redirect: "manual",
      signal: deadline.signal,
    });
    const { status, statusText } = answer;
    const said = deadline.ended === undefined ? (await readBody(answer, maxBytes)).text : "";
    if (status < 200 || status >= 300) throw refusal(address, status, said, statusText);
    end({ status });
    const message = saidIn(said);
    return { ...defined({ message }), raw: parseJson(said) ?? null };
  } catch (failure) {
    const error = failure instanceof CrewApiError ? failure : failed(failure, address, deadline);
    end({ error: error.kind, ...defined({ status: error.status }) });
    throw error;
  } finally {
    deadline.dispose();
  }
}

function badAddress(): CrewApiError {
  return new CrewApiError({
    kind: "badRequest",
    message: l10n.t("The address in the flow's request can't be used for an answer."),
    remedy: l10n.t("It must begin with https:// and have no user name. Answer in the dashboard."),
  });
}

function failed(failure: unknown, address: URL, { ended }: Deadline): CrewApiError {
  if (ended !== undefined)
    return new CrewApiError({
      kind: "timeout",
      message: l10n.t("{0} did not respond within {1} seconds.", address.host, timeoutMs / 1000),
      ...outcome(true, ""),
    });
  const text = failure instanceof Error ? failure.message : String(failure);
  // node-fetch puts the whole address first.
  const description = text.replace(/^request to .* failed, reason: /, "");
  return errorOfFailure(failure, description.replaceAll(address.href, address.host), address, {
    method: "POST",
    isAnswered: false,
  });
}

function refusal(address: URL, status: number, body: string, reason: string): CrewApiError {
  const { host } = address;
  if (status >= 300 && status < 400)
    return new CrewApiError({
      kind: "redirected",
      status,
      message: l10n.t("{0} redirects ({1}). The redirect was not followed.", host, status),
      // Only "303 See Other" means that the request was processed (RFC 9110).
      ...outcome(status === 303, l10n.t("Answer in the dashboard.")),
    });
  const said = readErrorBody(body).message ?? oneLine(reason, saidLength);
  // A 408, and what a server or a gateway fails at, may have been processed.
  const isOpen = status === 408 || status >= 500;
  const kind: CrewApiErrorKind = isOpen ? "server" : status === 404 ? "notFound" : "badRequest";
  return new CrewApiError({
    kind,
    status,
    message: isOpen
      ? l10n.t("{0} failed to take the answer ({1}): {2}", host, status, said)
      : l10n.t("{0} did not take the answer ({1}): {2}", host, status, said),
    ...outcome(isOpen, l10n.t("The request may be answered or over: look at the dashboard.")),
  });
}

function saidIn(body: string): string | undefined {
  const text = textAt(asObject(parseJson(body)), "message", "detail", "error", "status");
  return text === undefined ? undefined : oneLine(text, saidLength);
}
