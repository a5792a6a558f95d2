import * as l10n from "@vscode/l10n";
import { wait, type Clock } from "../base/clock.ts";
import { defined, isObject, parseJson } from "../base/json.ts";
import { errorOfAnswer, excerpt } from "./answer-errors.ts";
import { CrewApiError } from "./errors.ts";
import { errorOfFailure, unanswered, unusableAnswer } from "./failure-errors.ts";
import type { Fetch, FetchAnswer } from "./fetch.ts";
import { parseRetryAfter, retryWait } from "./retry.ts";
import { bodyForLog, nextExchange, secretsIn, withoutSecrets, type Traffic } from "./traffic.ts";
import type { TokenType, TypedToken } from "./types.ts";

export interface TransportOptions {
  readonly baseUrl: string;
  /** Called before every request; what it throws passes through. */
  readonly token: () => Promise<string | TypedToken>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: () => number;
  readonly maxBytes: number;
  readonly userAgent: string;
  readonly onTraffic: (traffic: Traffic) => void;
  readonly isLocal: boolean;
}

export interface Outgoing<T> {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: object;
  /** Returns undefined for an answer of another shape; `text` is the answer as received, without the token. */
  readonly read: (raw: unknown, text: () => string) => T | undefined;
  /** Milliseconds per attempt, including the body. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly knownInputs?: readonly string[];
}

/** One attempt of a request. */
interface Attempt<T> extends Outgoing<T> {
  readonly token: string;
  readonly tokenType: TokenType | undefined;
  /** Removes the token and the body's secrets from a text. */
  readonly clean: (text: string) => string;
  readonly deadline: Deadline;
}

/** What has arrived of an answer so far. */
interface Arrived {
  status?: number;
  text?: string;
}

/** Bytes of an error's body that are read. */
const errorBytes = 64 * 1024;

/** @throws {CrewApiError} `unauthorized`, nothing sent, if the token is empty or can't be in a header */
function authorization(token: string): string {
  if (token === "") throw unusable(l10n.t("There is no token for this crew."));
  if (/[^\x20-\x7e\xa0-\xff]/.test(token)) {
    throw unusable(
      l10n.t(
        "The token has a character that can't be sent, such as a line break or a non-Latin letter.",
      ),
    );
  }
  return `Bearer ${token}`;
}

function unusable(message: string): CrewApiError {
  return new CrewApiError({
    kind: "unauthorized",
    message,
    remedy: l10n.t(
      "Copy the token again from the Status tab of the crew's page in the dashboard, without any other text.",
    ),
  });
}

/** Sends requests and checks the answers. Retries a GET where that can help, a POST never. */
export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** @throws {CrewApiError}, and what the token source throws */
  async request<T>(outgoing: Outgoing<T>): Promise<T> {
    for (let asked = 1; ; asked++) {
      try {
        return await this.#once(outgoing);
      } catch (error) {
        const pause =
          outgoing.method === "GET" ? retryWait(error, asked, this.#options.random) : undefined;
        if (pause === undefined) throw error;
        await wait(this.#options.clock, pause, outgoing.signal);
      }
    }
  }

  async #once<T>(outgoing: Outgoing<T>): Promise<T> {
    const { clock, onTraffic, fetch, baseUrl } = this.#options;
    const given = await this.#options.token();
    const { token, type } = typeof given === "string" ? { token: given, type: undefined } : given;
    const headers = this.#headers(token, outgoing);
    if (outgoing.signal?.aborted) throw unanswered("aborted", outgoing, false);
    const { method, path } = outgoing;
    const body = outgoing.body && JSON.stringify(outgoing.body);
    const secrets = secretsIn(outgoing.body);
    const clean = (text: string) => withoutSecrets(text, token, secrets);
    const deadline = new Deadline(clock, outgoing.timeoutMs, outgoing.signal);
    const attempt: Attempt<T> = { ...outgoing, token, tokenType: type, clean, deadline };
    const exchange = { id: nextExchange(), method, path };
    const logged = (text: string | undefined) =>
      text === undefined ? {} : { body: () => bodyForLog(text, clean) };
    onTraffic({ kind: "request", ...exchange, ...logged(body) });
    const started = clock.now();
    const arrived: Arrived = {};
    const end = (error?: CrewApiError) =>
      onTraffic({
        kind: "end",
        ...exchange,
        ...defined({ status: arrived.status, error: error?.kind }),
        milliseconds: clock.now() - started,
        ...logged(arrived.text),
      });
    try {
      // node-fetch keeps the token on a redirect to another port of the same host (node-fetch 1863), so redirects aren't followed.
      const init = { method, headers, ...defined({ body }), redirect: "manual" } as const;
      const answer = await fetch(baseUrl + path, { ...init, signal: deadline.signal }).catch(
        (failure: unknown) => {
          throw this.#failure(failure, attempt);
        },
      );
      const value = await this.#read(answer, attempt, arrived);
      end();
      return value;
    } catch (error) {
      if (error instanceof CrewApiError) end(error);
      throw error;
    } finally {
      deadline.dispose();
    }
  }

  #headers(token: string, { body }: Outgoing<unknown>): Readonly<Record<string, string>> {
    return {
      accept: "application/json",
      authorization: authorization(token),
      "user-agent": this.#options.userAgent,
      ...(body && { "content-type": "application/json" }),
    };
  }

  async #read<T>(answer: FetchAnswer, attempt: Attempt<T>, arrived: Arrived): Promise<T> {
    const { clock, maxBytes, isLocal, baseUrl } = this.#options;
    const { status } = answer;
    const { method, path, clean, deadline, knownInputs, tokenType } = attempt;
    arrived.status = status;
    if (status >= 300 && status < 400) {
      const location = clean(answer.headers.get("location") ?? "");
      throw unusableAnswer("redirected", attempt, { status, location, url: baseUrl + path });
    }
    const ok = status >= 200 && status < 300;
    const { text, tooLarge, problem } = await readBody(answer.body, ok ? maxBytes : errorBytes);
    arrived.text = text;
    if (deadline.ended === "aborted") throw unanswered("aborted", attempt, true);
    if (!ok) {
      // The status code counts, even if the body is incomplete.
      throw errorOfAnswer({
        method,
        path,
        status,
        statusText: clean(answer.statusText),
        text: clean(text),
        retryAfterMs: parseRetryAfter(answer.headers.get("retry-after"), clock.now()),
        knownInputs,
        tokenType,
        isLocal,
      });
    }
    if (tooLarge) throw unusableAnswer("tooLarge", attempt, { status, maxBytes, isLocal });
    const raw = parseJson(text);
    // A complete object is the answer, even if the connection broke right after it.
    if (problem !== undefined && !isObject(raw)) throw this.#failure(problem, attempt);
    const value = raw === undefined ? undefined : attempt.read(raw, () => clean(text));
    if (value !== undefined) return value;
    const isJson = raw !== undefined;
    throw unusableAnswer("badAnswer", attempt, {
      status,
      body: excerpt(clean(text)),
      isJson,
      isLocal,
    });
  }

  #failure(failure: unknown, attempt: Attempt<unknown>): CrewApiError {
    const { clean, deadline, method } = attempt;
    if (deadline.ended) return unanswered(deadline.ended, attempt, true);
    const text = failure instanceof Error ? failure.message : String(failure);
    // node-fetch puts the requested address first, which may look like a cause.
    const description = clean(text.replace(/^request to .* failed, reason: /, ""));
    return errorOfFailure(failure, description, new URL(this.#options.baseUrl), method);
  }
}

interface ReadBody {
  readonly text: string;
  /** Whether the limit was reached; `text` is then truncated. */
  readonly tooLarge: boolean;
  /** The error that interrupted reading. */
  readonly problem?: unknown;
}

/** Reads a body up to a limit in decompressed bytes. Never throws: what arrived before an error may be enough. */
async function readBody(
  body: AsyncIterable<string | Uint8Array> | null,
  maxBytes: number,
): Promise<ReadBody> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const text = () => new TextDecoder().decode(Buffer.concat(chunks));
  try {
    for await (const part of body ?? []) {
      const chunk = typeof part === "string" ? Buffer.from(part) : part;
      chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.length;
      if (size > maxBytes) return { text: text(), tooLarge: true };
    }
    return { text: text(), tooLarge: false };
  } catch (problem) {
    return { text: text(), tooLarge: false, problem };
  }
}

/** Aborts one request after its time-out, which includes the body, or with its caller. */
class Deadline {
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;
  /** Also closes a connection that is still open. */
  readonly dispose: () => void;
  ended: "timeout" | "aborted" | undefined;

  constructor(clock: Clock, milliseconds: number, caller: AbortSignal | undefined) {
    const end = (cause: "timeout" | "aborted") => {
      this.ended ??= cause;
      this.#controller.abort();
    };
    const onAbort = () => end("aborted");
    const cancelTimer = clock.after(milliseconds, () => end("timeout"));
    caller?.addEventListener("abort", onAbort);
    if (caller?.aborted) onAbort();
    this.dispose = () => {
      cancelTimer();
      caller?.removeEventListener("abort", onAbort);
      this.#controller.abort();
    };
  }
}
