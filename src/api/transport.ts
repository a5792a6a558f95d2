import http from "node:http";
import https from "node:https";
import * as l10n from "@vscode/l10n";
import { wait, type Clock } from "../base/clock.ts";
import { readBytes } from "../base/files.ts";
import { defined, isObject, parseJson } from "../base/json.ts";
import { CrewApiError, type CrewApiErrorKind } from "./errors.ts";
import {
  aborted,
  type Asked,
  badAnswer,
  errorOfAnswer,
  errorOfFailure,
  type Recipient,
  redirected,
  timedOut,
  tooLarge,
} from "./problems.ts";
import type { TypedToken } from "./types.ts";

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

/** A request or its end, for a log. Holds no header, no body and no token. */
export interface Traffic {
  readonly id: number;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly status?: number;
  readonly error?: CrewApiErrorKind;
  readonly milliseconds?: number;
}

/** `[12 Travel] → POST /kickoff`, `[12 Travel] ← 200 in 180 ms` */
export function logTraffic(
  log: Readonly<Record<"debug" | "info" | "warn" | "error", (line: string) => void>>,
  crew: string,
  { id, method, path, status, error, milliseconds }: Traffic,
): void {
  const isPost = method === "POST";
  const head = `[${id} ${crew.replace(/\s+/g, " ")}]`;
  if (milliseconds === undefined) log[isPost ? "info" : "debug"](`${head} → ${method} ${path}`);
  else {
    const outcome = [status, error].filter((each) => each !== undefined).join(" ");
    log[levelOf(isPost, error)](`${head} ← ${outcome} in ${Math.round(milliseconds)} ms`);
  }
}

/** An unknown id may be a pause, and a cancelled request is intended. */
function levelOf(isPost: boolean, error: string | undefined): "debug" | "info" | "warn" | "error" {
  if (error === undefined) return isPost ? "info" : "debug";
  if (isPost) return "error";
  return error === "notFound" || error === "aborted" ? "debug" : "warn";
}

export interface Line extends Recipient {
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

/** Retries a GET where that can help, a POST never. @throws {CrewApiError}, and what the token source throws */
export async function send<T>(line: Line, outgoing: Outgoing<T>): Promise<T> {
  for (let asked = 1; ; asked++) {
    try {
      return await exchange(line, outgoing);
    } catch (error) {
      const pause = retryWait(error, asked, line.random);
      if (pause === undefined || outgoing.method === "POST") throw error;
      await wait(line.clock, pause, outgoing.signal);
    }
  }
}

const errorBytes = 64 * 1024;
let exchanges = 0;

async function exchange<T>(line: Line, outgoing: Outgoing<T>): Promise<T> {
  const { clock, baseUrl, maxBytes, isLocal = false, isOutside = false } = line;
  const { method, path, timeoutMs } = outgoing;
  const given = await line.token();
  const [token, tokenType] =
    given === null || typeof given === "string" ? [given ?? ""] : [given.token, given.type];
  const headers = {
    accept: "application/json",
    ...(given !== null && { authorization: authorization(token) }),
    "user-agent": line.userAgent,
    ...(outgoing.body && { "content-type": "application/json" }),
  };
  const asked: Asked = { method, path, isLocal, isOutside, tokenType };
  if (outgoing.signal?.aborted) throw aborted(asked, false);
  const body = outgoing.body && JSON.stringify(outgoing.body);
  const secrets = isOutside ? [path] : secretsIn(outgoing.body);
  const clean = (text: string) => withoutSecrets(text, token, secrets);
  const deadline = new Deadline(clock, timeoutMs, outgoing.signal);
  const [id, began] = [++exchanges, clock.now()];
  let status: number | undefined;

  const log = (end: Partial<Traffic> = {}) => {
    try {
      line.onTraffic({ id, method, path: isOutside ? `${baseUrl}/…` : path, ...end });
    } catch {
      // VS Code's log throws once it is disposed, which must not change the result.
    }
  };
  const failed = (failure: unknown): CrewApiError => {
    if (deadline.ended === "timeout") return timedOut(asked, timeoutMs);
    if (deadline.ended === "aborted") return aborted(asked, true);
    const message = failure instanceof Error ? failure.message : String(failure);
    // node-fetch puts the requested address first, which may look like a cause. A proxy's may have a password.
    const cause = message.replace(/^request to .* failed, reason: /, "");
    const description = clean(cause.replace(/(?<!\S)\S+@/g, ""));
    return errorOfFailure(asked, failure, description, new URL(baseUrl), status !== undefined);
  };
  const read = async (answer: FetchAnswer): Promise<T> => {
    status = answer.status;
    if (status >= 300 && status < 400) {
      const location = clean(answer.headers.get("location") ?? "");
      throw redirected(asked, status, location, baseUrl + path);
    }
    const isGood = status >= 200 && status < 300;
    const { text, isTruncated, problem } = await readBody(answer, isGood ? maxBytes : errorBytes);
    if (deadline.ended === "aborted") throw aborted(asked, true);
    // The status code counts, even if the body is incomplete.
    if (!isGood) {
      const retryAfter = parseRetryAfter(answer.headers.get("retry-after"), clock.now());
      throw errorOfAnswer(asked, status, clean(answer.statusText), clean(text), retryAfter);
    }
    // The status alone says that a flow has the answer.
    if (isTruncated && !isOutside) throw tooLarge(asked, status, maxBytes);
    const raw = parseJson(text);
    // A complete object is the answer, even if the connection broke right after it.
    if (problem !== undefined && !isObject(raw) && !isOutside) throw failed(problem);
    const value = outgoing.read(raw, () => clean(text));
    if (value !== undefined) return value;
    throw badAnswer(asked, status, clean(text));
  };

  log();
  let error: CrewApiErrorKind | undefined;
  try {
    const { signal } = deadline;
    // node-fetch keeps the token on a redirect to another port of the host (node-fetch 1863).
    const init = { method, headers, ...defined({ body }), redirect: "manual", signal } as const;
    const answer = await line.fetch(baseUrl + path, init).catch((failure: unknown) => {
      throw failed(failure);
    });
    return await read(answer);
  } catch (thrown) {
    if (thrown instanceof CrewApiError) error = thrown.kind;
    throw thrown;
  } finally {
    log({ ...defined({ status, error }), milliseconds: clock.now() - began });
    deadline.dispose();
  }
}

/** @throws {CrewApiError} `unauthorized` if the token is empty or can't be in a header */
function authorization(token: string): string {
  if (token !== "" && !/[^\x20-\x7e\xa0-\xff]/.test(token)) return `Bearer ${token}`;
  throw new CrewApiError({
    kind: "unauthorized",
    message: l10n.t(
      "The token is empty or has a character that can't be sent, such as a line break or a non-Latin letter.",
    ),
    remedy: l10n.t(
      "Copy the token again from the Status tab of the crew's page in the dashboard, without any other text.",
    ),
  });
}

export async function readBody({ body }: Pick<FetchAnswer, "body">, maxBytes: number) {
  const { bytes, ...rest } = await readBytes(body, maxBytes);
  return { text: new TextDecoder().decode(bytes), ...rest };
}

export class Deadline {
  readonly signal: AbortSignal;
  readonly #own = new AbortController();
  readonly #clock: Clock;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, milliseconds: number, caller: AbortSignal | undefined) {
    this.#clock = clock;
    this.signal = AbortSignal.any([this.#own.signal, ...(caller ? [caller] : [])]);
    this.restart(milliseconds);
  }

  get ended(): "timeout" | "aborted" | undefined {
    if (this.#own.signal.aborted) return "timeout";
    return this.signal.aborted ? "aborted" : undefined;
  }

  restart(milliseconds: number): void {
    this.pause();
    this.#cancel = this.#clock.after(milliseconds, () => this.#own.abort());
  }

  pause(): void {
    this.#cancel();
  }

  /** Also closes a connection that is still open. */
  dispose(): void {
    this.pause();
    this.#own.abort();
  }
}

const attempts = 3;
/** The upper bound of the first wait (ms); it doubles each time. */
const firstWait = 500;
/** A longer `Retry-After` is left to the caller (ms). */
const longestWait = 10_000;

/** With full jitter (ms). Undefined for no retry; a time-out has taken long enough. */
function retryWait(error: unknown, asked: number, random: () => number): number | undefined {
  if (!(error instanceof CrewApiError) || asked >= attempts) return undefined;
  const { kind, place, reason, retryAfterMs = 0 } = error;
  const isPassing = ["rateLimited", "gateway", "server"].includes(kind) && place === undefined;
  if (!(isPassing || reason === "reset") || retryAfterMs > longestWait) return undefined;
  return retryAfterMs + random() * firstWait * 2 ** (asked - 1);
}

/** Milliseconds from now, at most a day, as an execution is watched no longer. The header has seconds or an HTTP date. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? "";
  if (text === "") return undefined;
  const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  const longest = 24 * 60 * 60 * 1000;
  return Number.isNaN(milliseconds) ? undefined : Math.min(Math.max(milliseconds, 0), longest);
}

const secretName =
  /token|secret|passw|username|authori[sz]ation|api[-_]?key|private[-_]?key|credential|cookie|bearer|signature/i;
/** A part of a path that nobody can guess, such as in a callback's address: it is a secret. */
const longPart = /(?<![\w-])[\w-]{32,}$/;

/** Of a request, which the crew may repeat: texts below members with a secret's name, and the long last parts of addresses. */
export function secretsIn(value: unknown, name = "", isSecret = false): readonly string[] {
  if (typeof value === "string") {
    // Shorter texts occur by chance.
    if (isSecret) return value.length >= 4 ? [value] : [];
    return /url$/i.test(name) ? (longPart.exec(value) ?? []) : [];
  }
  if (Array.isArray(value)) return value.flatMap((each) => secretsIn(each, name, isSecret));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    secretsIn(each, key, isSecret || secretName.test(key)),
  );
}

export function withoutSecrets(text: string, token: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (clean, secret) => without(clean, secret, "[secret]"),
    without(text, token, "[token]"),
  );
}

function without(text: string, secret: string, instead: string): string {
  if (secret === "") return text;
  const inUrl = encodeURIComponent(secret.toWellFormed());
  return [secret, JSON.stringify(secret).slice(1, -1), inUrl].reduce(
    (clean, form) => clean.replaceAll(form, instead),
    text,
  );
}
