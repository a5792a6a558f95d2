import { errorOfAnswer, excerpt } from "./answer-errors.ts";
import { readBody } from "./body.ts";
import type { Clock } from "../base/clock.ts";
import { Deadline } from "./deadline.ts";
import { CrewApiError } from "./errors.ts";
import { errorOfFailure } from "./failure-errors.ts";
import type { Fetch, FetchAnswer } from "./fetch.ts";
import { isObject, parseJson } from "./json.ts";
import { openEnded, unreadable } from "./outcome-errors.ts";
import { bodyForLog, secretsIn, withoutSecrets } from "./redact.ts";
import { parseRetryAfter, retryWait, wait } from "./retry.ts";
import { authorization, type TypedToken } from "./token.ts";
import { nextExchange, type Traffic } from "./traffic.ts";
import type { TokenType } from "./types.ts";

/** What every request of a client shares. */
export interface TransportOptions {
  readonly baseUrl: string;
  /** Asked before every request; what it throws passes through. */
  readonly token: () => Promise<string | TypedToken>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly maxBytes: number;
  readonly userAgent: string;
  readonly onTraffic: (traffic: Traffic) => void;
  readonly isLocal: boolean;
}

/** One request, and how its answer is read. */
export interface Outgoing<T> {
  readonly method: "GET" | "POST";
  /** Path below the crew's address. */
  readonly path: string;
  readonly body?: object;
  /** Nothing where the answer is not what was asked for; `text` is the answer as it came, without the token. */
  readonly read: (raw: unknown, text: () => string) => T | undefined;
  /** Milliseconds for each attempt, the whole body included. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly knownInputs?: readonly string[];
}

/** What one sending of a request brings along. */
interface Sending {
  /** The Authorization header's value. */
  readonly header: string;
  /** Takes the token and the body's secrets out of a text. */
  readonly clean: (text: string) => string;
  readonly deadline: Deadline;
}

/** What has come of an answer so far. */
interface Came {
  status?: number;
  text?: string;
}

/** An error's body is read so far, in bytes; more of it is of no use to anybody. */
const errorBytes = 64 * 1024;

/** Sends requests and judges what comes back. A GET is asked again where that can help; a POST never. */
export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** @throws {CrewApiError}, and whatever the token's source throws */
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
    const { clock, onTraffic } = this.#options;
    const given = await this.#options.token();
    const { token, type } = typeof given === "string" ? { token: given, type: undefined } : given;
    const header = authorization(token);
    if (outgoing.signal?.aborted) throw openEnded("aborted", outgoing, false);
    const { method, path, body } = outgoing;
    const secrets = secretsIn(body);
    const sending: Sending = {
      header,
      clean: (text) => withoutSecrets(text, token, secrets),
      deadline: new Deadline(clock, outgoing.timeoutMs, outgoing.signal),
    };
    const exchange = { id: nextExchange(), method, path };
    const bodyOf = (text: string) => ({ body: () => bodyForLog(text, sending.clean) });
    onTraffic({
      kind: "request",
      ...exchange,
      ...(body === undefined ? {} : bodyOf(JSON.stringify(body))),
    });
    const started = clock.now();
    const came: Came = {};
    const end = (error?: CrewApiError) => {
      const { status, text } = came;
      onTraffic({
        kind: "end",
        ...exchange,
        ...(status === undefined ? {} : { status }),
        ...(error === undefined ? {} : { error: error.kind }),
        milliseconds: clock.now() - started,
        ...(text === undefined ? {} : bodyOf(text)),
      });
    };
    try {
      const value = await this.#judge(
        await this.#send(outgoing, sending),
        outgoing,
        { ...sending, type },
        came,
      );
      end();
      return value;
    } catch (error) {
      if (error instanceof CrewApiError) end(error);
      throw error;
    } finally {
      sending.deadline.dispose();
    }
  }

  async #send(outgoing: Outgoing<unknown>, sending: Sending): Promise<FetchAnswer> {
    const { baseUrl, fetch, userAgent } = this.#options;
    const content = outgoing.body === undefined ? {} : { body: JSON.stringify(outgoing.body) };
    const headers = {
      accept: "application/json",
      authorization: sending.header,
      "user-agent": userAgent,
      ...(outgoing.body === undefined ? {} : { "content-type": "application/json" }),
    };
    const url = baseUrl + outgoing.path;
    try {
      // node-fetch keeps the token on a redirect to another port of the same host, so none is followed (node-fetch 1863).
      return await fetch(url, {
        method: outgoing.method,
        headers,
        ...content,
        redirect: "manual",
        signal: sending.deadline.signal,
      });
    } catch (failure) {
      throw this.#failure(failure, outgoing, sending);
    }
  }

  async #judge<T>(
    answer: FetchAnswer,
    outgoing: Outgoing<T>,
    sending: Sending & { readonly type: TokenType | undefined },
    came: Came,
  ): Promise<T> {
    const { clock, maxBytes, isLocal } = this.#options;
    const { status } = answer;
    const { clean, deadline, type } = sending;
    came.status = status;
    if (status >= 300 && status < 400) {
      const location = answer.headers.get("location");
      throw unreadable("redirected", outgoing, {
        status,
        location: location === null ? undefined : clean(location),
        url: this.#options.baseUrl + outgoing.path,
      });
    }
    const ok = status >= 200 && status < 300;
    const { text, tooLarge, problem } = await readBody(answer.body, ok ? maxBytes : errorBytes);
    came.text = text;
    if (deadline.ended === "aborted") throw openEnded("aborted", outgoing, true);
    if (!ok) {
      // Whatever became of the body, the code is an answer.
      const retryAfterMs = parseRetryAfter(answer.headers.get("retry-after"), clock.now());
      const { method, path, knownInputs } = outgoing;
      throw errorOfAnswer({
        method,
        path,
        status,
        statusText: clean(answer.statusText),
        text: clean(text),
        retryAfterMs,
        knownInputs,
        tokenType: type,
        isLocal,
      });
    }
    if (tooLarge) throw unreadable("tooLarge", outgoing, { status, maxBytes, isLocal });
    const raw = parseJson(text);
    // An object that is whole is the answer, even if the connection broke right after it.
    if (problem !== undefined && !isObject(raw)) throw this.#failure(problem, outgoing, sending);
    const value = raw === undefined ? undefined : outgoing.read(raw, () => clean(text));
    if (value === undefined)
      throw unreadable("badAnswer", outgoing, {
        status,
        body: excerpt(clean(text)),
        json: raw !== undefined,
        isLocal,
      });
    return value;
  }

  #failure(
    failure: unknown,
    outgoing: Outgoing<unknown>,
    { clean, deadline }: Sending,
  ): CrewApiError {
    if (deadline.ended) return openEnded(deadline.ended, outgoing, true);
    const words = failure instanceof Error ? failure.message : String(failure);
    // node-fetch puts the request's address first, whose words say nothing of the cause.
    const description = clean(words.replace(/^request to .* failed, reason: /, ""));
    return errorOfFailure(failure, description, new URL(this.#options.baseUrl), outgoing.method);
  }
}
