import * as l10n from "@vscode/l10n";
import { Deadline, parseRetryAfter, readBody, type Fetch } from "../api/transport.ts";
import type { Clock } from "../base/clock.ts";
import { codeOf, UserError } from "../base/errors.ts";
import { asObject, defined, parseJson, textAt } from "../base/json.ts";
import { oneLine } from "../base/text.ts";

/** A problem with a relay, as a message for the person. Never names the channel's address, which may be a secret. */
export class RelayError extends UserError {
  override readonly name = "RelayError";
  /** Whether the relay has no such channel, or refuses its secret. Then only a new channel helps. */
  readonly isGone: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, more: { isGone?: boolean; retryAfterMs?: number | undefined } = {}) {
    super(message);
    this.isGone = more.isGone ?? false;
    this.retryAfterMs = more.retryAfterMs;
  }
}

export interface RelayConnection {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly signal?: AbortSignal;
}

interface RelayRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: string;
  readonly accept?: string;
  readonly secret?: string | undefined;
  readonly lastEventId?: string | undefined;
  readonly body?: string;
}

/** How long an answer may take (ms); of a channel, how long until it begins. */
export const answerMs = 20_000;
const maxAnswer = 64 * 1024;

/** Sends a request, and reads a short answer: at most 64 KiB. @throws {RelayError} */
export async function askRelay(
  connection: RelayConnection,
  request: RelayRequest,
): Promise<string> {
  const deadline = new Deadline(connection.clock, answerMs, connection.signal);
  try {
    const { text, problem } = await readBody(
      await connect(connection, request, deadline),
      maxAnswer,
    );
    if (problem !== undefined) throw unreachable(problem, deadline);
    return text;
  } finally {
    deadline.dispose();
  }
}

type Answer = Awaited<ReturnType<Fetch>>;

/** @throws {RelayError} unless the answer is 2xx */
export async function connect(
  { fetch, clock, userAgent }: RelayConnection,
  { method, url, accept = "application/json", secret, lastEventId, body }: RelayRequest,
  deadline: Deadline,
): Promise<Answer> {
  const headers = {
    accept,
    "accept-encoding": "identity",
    "cache-control": "no-cache",
    "user-agent": userAgent,
    ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
    ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const init = { method, headers, ...defined({ body }), redirect: "manual" } as const;
  const answer = await fetch(url, { ...init, signal: deadline.signal }).catch((error: unknown) => {
    throw unreachable(error, deadline);
  });
  const { status } = answer;
  if (status >= 200 && status < 300) return answer;
  // A proxy in front of the relay may send these, too, while the relay restarts.
  const { text } = await readBody(answer, maxAnswer);
  const isGone = (status === 401 || status === 404) && namesChannel(text);
  throw new RelayError(problemOf(status), {
    isGone,
    retryAfterMs: parseRetryAfter(answer.headers.get("retry-after"), clock.now()),
  });
}

/** Whether the answer is a Crewdeck relay's, and says that the channel or its secret is wrong. */
function namesChannel(answer: string): boolean {
  return /\bchannel\b/.test(textAt(asObject(parseJson(answer)), "error") ?? "");
}

/** The parts of a body as they arrive. Ends the connection after `silenceMs` without a part. @throws {RelayError} */
export async function* partsOf(
  { body }: Answer,
  deadline: Deadline,
  silenceMs: number,
): AsyncGenerator<string> {
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

function unreachable(error: unknown, { ended }: Deadline): RelayError {
  return ended === "timeout"
    ? new RelayError(l10n.t("The relay doesn't answer."))
    : new RelayError(l10n.t("The relay can't be reached: {0}", descriptionOf(error)));
}

/** Without the address, which node-fetch puts first. */
function descriptionOf(error: unknown): string {
  if (!(error instanceof Error)) return oneLine(String(error), 200);
  const code = codeOf(error) ?? error.name;
  const text = error.message.replace(/^request to .* failed, reason: ?/, "");
  return oneLine(text.includes("://") || text === "" ? code : text, 200);
}

function problemOf(status: number): string {
  if (status === 401)
    return l10n.t(
      "The relay refused the token or the channel's secret (401). The token is in the file that the relay named when it started; “Test Callbacks” asks for it again.",
    );
  if (status === 404) return l10n.t("The relay has no such channel (404).");
  if (status === 429) return l10n.t("The relay gets too many requests (429).");
  if (status === 507)
    return l10n.t(
      "The relay has as many channels as it keeps (507). It deletes those that nobody has listened to for 90 days.",
    );
  if (status >= 300 && status < 400)
    return l10n.t("The relay sends requests elsewhere ({0}), which is not followed.", status);
  return l10n.t("The relay answered with an error ({0}).", status);
}
