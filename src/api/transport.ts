import http from "node:http";
import https from "node:https";
import * as l10n from "@vscode/l10n";
import { wait, type Clock } from "../base/clock.ts";
import { defined, isObject, parseJson } from "../base/json.ts";
import { errorOfAnswer, type Recipient } from "./answer-errors.ts";
import { CrewApiError } from "./errors.ts";
import { badAnswer, errorOfFailure, redirected, tooLarge, unanswered } from "./failure-errors.ts";
import { bodyForLog, nextExchange, secretsIn, withoutSecrets, type Traffic } from "./traffic.ts";
import type { TokenType, TypedToken } from "./types.ts";

/** A subset of node-fetch's `Response`. */
interface FetchAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<string | Uint8Array> | null;
}

export type Fetch = (
  url: string,
  init: {
    readonly method: "GET" | "POST" | "DELETE";
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly redirect: "manual";
    readonly signal: AbortSignal;
  },
) => Promise<FetchAnswer>;

/** A POST on a kept connection that the server is closing may or may not have arrived. */
const agents = {
  http: new http.Agent({ keepAlive: false }),
  https: new https.Agent({ keepAlive: false }),
};

/** Loaded with the first request. It uses Node's modules, which VS Code patches for its proxy. */
export const defaultFetch: Fetch = async (url, init) => {
  const fetch = await nodeFetch();
  return await fetch(url, {
    ...init,
    agent: ({ protocol }) => (protocol === "https:" ? agents.https : agents.http),
  });
};

/** With `http.proxySupport` "on", VS Code sets its own agent only if there is none. */
export const agentlessFetch: Fetch = async (url, init) => await (await nodeFetch())(url, init);

async function nodeFetch() {
  return (await import("node-fetch")).default;
}

export interface TransportOptions extends Recipient {
  readonly baseUrl: string;
  /** Null: requests carry none. */
  readonly token: () => Promise<string | TypedToken | null>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: () => number;
  readonly maxBytes: number;
  readonly userAgent: string;
  readonly onTraffic: (traffic: Traffic) => void;
}

export interface Outgoing<T> {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: object;
  /** Undefined for another shape; `raw` is undefined unless the answer is JSON, `text` is the answer as received, without the token. */
  readonly read: (raw: unknown, text: () => string) => T | undefined;
  /** Per attempt, including the body (ms). */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface Attempt<T> extends Outgoing<T>, Recipient {
  readonly tokenType: TokenType | undefined;
  /** Removes the token and the body's secrets. */
  readonly clean: (text: string) => string;
  readonly deadline: Deadline;
}

const errorBytes = 64 * 1024;
const noToken = { token: "", type: undefined };

/** @throws {CrewApiError} `unauthorized` if the token is empty or can't be in a header */
function authorization(token: string): string {
  if (token !== "" && !/[^\x20-\x7e\xa0-\xff]/.test(token)) return `Bearer ${token}`;
  throw new CrewApiError({
    kind: "unauthorized",
    message:
      token === ""
        ? l10n.t("There is no token for this crew.")
        : l10n.t(
            "The token has a character that can't be sent, such as a line break or a non-Latin letter.",
          ),
    remedy: l10n.t(
      "Copy the token again from the Status tab of the crew's page in the dashboard, without any other text.",
    ),
  });
}

/** Retries a GET where that can help, a POST never. */
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
        const pause = retryWait(error, asked, this.#options.random);
        if (pause === undefined || outgoing.method === "POST") throw error;
        await wait(this.#options.clock, pause, outgoing.signal);
      }
    }
  }

  async #once<T>(outgoing: Outgoing<T>): Promise<T> {
    const { clock, fetch, baseUrl, isLocal = false, isOutside = false } = this.#options;
    const given = await this.#options.token();
    const { token, type } =
      typeof given === "string" ? { token: given, type: undefined } : (given ?? noToken);
    const headers = {
      accept: "application/json",
      ...(given !== null && { authorization: authorization(token) }),
      "user-agent": this.#options.userAgent,
      ...(outgoing.body && { "content-type": "application/json" }),
    };
    if (outgoing.signal?.aborted) throw unanswered("aborted", outgoing, false);
    const { method, path } = outgoing;
    const body = outgoing.body && JSON.stringify(outgoing.body);
    const secrets = isOutside ? [path] : secretsIn(outgoing.body);
    const clean = (text: string) => withoutSecrets(text, token, secrets);
    const deadline = new Deadline(clock, outgoing.timeoutMs, outgoing.signal);
    const recipient = { isLocal, isOutside };
    const attempt: Attempt<T> = { ...outgoing, ...recipient, tokenType: type, clean, deadline };
    const shownPath = isOutside ? `${baseUrl}/…` : path;
    const exchange = { id: nextExchange(), method, path: shownPath };
    const logged = (text: string | undefined) =>
      text === undefined || isOutside ? {} : { body: () => bodyForLog(text, clean) };
    this.#log({ kind: "request", ...exchange, ...logged(body) });
    const started = clock.now();
    const arrived: { status?: number; text?: string } = {};
    const end = (error?: CrewApiError) =>
      this.#log({
        kind: "end",
        ...exchange,
        ...defined({ status: arrived.status, error: error?.kind }),
        milliseconds: clock.now() - started,
        ...logged(arrived.text),
      });
    try {
      // node-fetch keeps the token on a redirect to another port of the host (node-fetch 1863).
      const init = { method, headers, ...defined({ body }), redirect: "manual" } as const;
      const answer = await fetch(baseUrl + path, { ...init, signal: deadline.signal }).catch(
        (failure: unknown) => {
          throw this.#failure(failure, attempt, false);
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

  /** A log that fails must not change the result. */
  #log(traffic: Traffic): void {
    try {
      this.#options.onTraffic(traffic);
    } catch {
      // VS Code's log throws once it is disposed.
    }
  }

  /** @param arrived is filled even before an error */
  async #read<T>(
    answer: FetchAnswer,
    attempt: Attempt<T>,
    arrived: { status?: number; text?: string },
  ): Promise<T> {
    const { clock, maxBytes, baseUrl } = this.#options;
    const { status } = answer;
    const { path, clean, deadline } = attempt;
    arrived.status = status;
    if (status >= 300 && status < 400) {
      const location = clean(answer.headers.get("location") ?? "");
      throw redirected(attempt, status, location, baseUrl + path);
    }
    const ok = status >= 200 && status < 300;
    const { text, isTruncated, problem } = await readBody(answer, ok ? maxBytes : errorBytes);
    arrived.text = text;
    if (deadline.ended === "aborted") throw unanswered("aborted", attempt, true);
    // The status code counts, even if the body is incomplete.
    if (!ok)
      throw errorOfAnswer({
        ...attempt,
        status,
        statusText: clean(answer.statusText),
        text: clean(text),
        retryAfterMs: parseRetryAfter(answer.headers.get("retry-after"), clock.now()),
      });
    // The status alone says that a flow has the answer.
    const { isOutside = false } = attempt;
    if (isTruncated && !isOutside) throw tooLarge(attempt, status, maxBytes);
    const raw = parseJson(text);
    // A complete object is the answer, even if the connection broke right after it.
    if (problem !== undefined && !isObject(raw) && !isOutside)
      throw this.#failure(problem, attempt, true);
    const value = attempt.read(raw, () => clean(text));
    if (value !== undefined) return value;
    throw badAnswer(attempt, { status, text: clean(text), isJson: raw !== undefined });
  }

  #failure(failure: unknown, attempt: Attempt<unknown>, isAnswered: boolean): CrewApiError {
    const { clean, deadline, method } = attempt;
    if (deadline.ended) return unanswered(deadline.ended, attempt, true);
    const text = failure instanceof Error ? failure.message : String(failure);
    // node-fetch puts the requested address first, which may look like a cause.
    const description = clean(text.replace(/^request to .* failed, reason: /, ""));
    const url = new URL(this.#options.baseUrl);
    return errorOfFailure(failure, description, url, { method, isAnswered });
  }
}

/** Reads up to `maxBytes` (decompressed). Never throws: what arrived may be enough. */
export async function readBody(
  { body, headers }: Pick<FetchAnswer, "body" | "headers">,
  maxBytes: number,
) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let problem: unknown;
  try {
    for await (const part of body ?? []) {
      const chunk = typeof part === "string" ? Buffer.from(part) : part;
      chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch (error) {
    problem = error;
  }
  const text = decoderFor(headers.get("content-type") ?? "").decode(Buffer.concat(chunks));
  return { text, isTruncated: size > maxBytes, problem };
}

/** For the charset that a content type names: UTF-8 if it names none that is known. */
function decoderFor(contentType: string) {
  const charset = /;\s*charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

/** Aborts a request after its time-out, or with its caller. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #caller: AbortSignal | undefined;
  readonly signal: AbortSignal;
  #isOver = false;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, milliseconds: number, caller: AbortSignal | undefined) {
    this.#clock = clock;
    this.#caller = caller;
    const own = this.#controller.signal;
    this.signal = caller === undefined ? own : AbortSignal.any([caller, own]);
    this.restart(milliseconds);
  }

  get ended(): "timeout" | "aborted" | undefined {
    if (this.#isOver) return "timeout";
    return this.#caller?.aborted === true ? "aborted" : undefined;
  }

  restart(milliseconds: number): void {
    this.pause();
    this.#cancel = this.#clock.after(milliseconds, () => {
      this.#isOver = true;
      this.#controller.abort();
    });
  }

  pause(): void {
    this.#cancel();
  }

  /** Also closes a connection that is still open. */
  dispose(): void {
    this.pause();
    this.#controller.abort();
  }
}

/** How often a GET is sent in all. */
const attempts = 3;
/** The upper bound of the first wait (ms); it doubles each time. */
const firstWait = 500;
/** A longer `Retry-After` is left to the caller (ms). */
const longestWait = 10_000;
/** No longer than an execution is watched (ms). */
const longestRest = 24 * 60 * 60 * 1000;

/**
 * Milliseconds until a GET is retried: exponential back-off with full jitter on top of
 * `Retry-After`. Undefined for no retry; a time-out has taken long enough.
 */
function retryWait(error: unknown, asked: number, random: () => number): number | undefined {
  if (!(error instanceof CrewApiError) || asked >= attempts) return undefined;
  const passing =
    error.kind === "rateLimited" ||
    error.kind === "gateway" ||
    (error.kind === "server" && error.place === undefined) ||
    error.reason === "reset";
  const rest = error.retryAfterMs ?? 0;
  if (!passing || rest > longestWait) return undefined;
  return rest + random() * firstWait * 2 ** (asked - 1);
}

/** Milliseconds from now, at most a day. The header has seconds or an HTTP date. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? "";
  if (text === "") return undefined;
  const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(milliseconds) ? undefined : Math.min(Math.max(milliseconds, 0), longestRest);
}
