import * as l10n from "@vscode/l10n";
import { parseRetryAfter, type Fetch } from "../api/transport.ts";
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

/** How long an answer may take to begin, and between two parts of it (ms). */
const answerMs = 20_000;
const maxAnswer = 64 * 1024;

/** Sends a request, and reads a short answer: at most 64 KiB. @throws {RelayError} */
export async function askRelay(
  connection: RelayConnection,
  request: RelayRequest,
): Promise<string> {
  const guard = new SilenceGuard(connection.clock, connection.signal);
  try {
    const { body } = await connect(connection, request, guard);
    return await readText(body, guard);
  } finally {
    guard.dispose();
  }
}

type Answer = Awaited<ReturnType<Fetch>>;

/** @throws {RelayError} unless the answer is 2xx */
export async function connect(
  { fetch, clock, userAgent }: RelayConnection,
  { method, url, accept = "application/json", secret, lastEventId, body }: RelayRequest,
  guard: SilenceGuard,
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
  const answer = await guard.within(answerMs, () =>
    fetch(url, { method, headers, ...defined({ body }), redirect: "manual", signal: guard.signal }),
  );
  const { status } = answer;
  if (status >= 200 && status < 300) return answer;
  // A proxy in front of the relay may send these, too, while the relay restarts.
  const isGone =
    (status === 401 || status === 404) && namesChannel(await readText(answer.body, guard));
  throw new RelayError(problemOf(status), {
    isGone,
    retryAfterMs: parseRetryAfter(answer.headers.get("retry-after"), clock.now()),
  });
}

async function readText(body: Answer["body"], guard: SilenceGuard): Promise<string> {
  let text = "";
  for await (const part of read(body, guard, answerMs)) {
    text += part;
    if (text.length > maxAnswer) break;
  }
  return text;
}

/** Whether the answer is a Crewdeck relay's, and says that the channel or its secret is wrong. */
function namesChannel(answer: string): boolean {
  return /\bchannel\b/.test(textAt(asObject(parseJson(answer)), "error") ?? "");
}

/** The parts of a body as they arrive. Ends the connection after `silenceMs` without a part. @throws {RelayError} */
export async function* read(
  body: Answer["body"],
  guard: SilenceGuard,
  silenceMs: number,
): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  const parts = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const part = await guard.within(silenceMs, () => parts.next());
      if (part.done === true) return;
      yield typeof part.value === "string"
        ? part.value
        : decoder.decode(part.value, { stream: true });
    }
  } finally {
    await parts.return?.().catch(() => undefined);
  }
}

/** Ends a connection when it has been silent for too long, or when its caller aborts. */
export class SilenceGuard {
  readonly #controller = new AbortController();
  readonly signal: AbortSignal;
  readonly #clock: Clock;

  constructor(clock: Clock, caller: AbortSignal | undefined) {
    this.#clock = clock;
    const own = this.#controller.signal;
    this.signal = caller === undefined ? own : AbortSignal.any([caller, own]);
  }

  /** Runs `action`. @throws {RelayError} if it fails or takes longer */
  async within<T>(milliseconds: number, action: () => Promise<T>): Promise<T> {
    let isSilent = false;
    const cancel = this.#clock.after(milliseconds, () => {
      isSilent = true;
      this.dispose();
    });
    try {
      return await action();
    } catch (error) {
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- the clock sets it meanwhile
      if (isSilent) throw new RelayError(l10n.t("The relay doesn't answer."));
      throw new RelayError(l10n.t("The relay can't be reached: {0}", descriptionOf(error)));
    } finally {
      cancel();
    }
  }

  /** Also closes a connection that is still open. */
  dispose(): void {
    this.#controller.abort();
  }
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
