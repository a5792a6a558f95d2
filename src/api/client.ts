import { randomUUID } from "node:crypto";
import { normaliseAddress } from "./address.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import { CrewApiError } from "./errors.ts";
import { defaultFetch, type Fetch } from "./fetch.ts";
import { isObject } from "./json.ts";
import { readKickoff, readResume } from "./read-answers.ts";
import { readInputs } from "./read-inputs.ts";
import { readStatus } from "./read-status.ts";
import { kickoffBody, resumeBody } from "./requests.ts";
import { fillPath, isUnknownRoute, pathsToAsk } from "./status-path.ts";
import type { TypedToken } from "./token.ts";
import type { Traffic } from "./traffic.ts";
import { Transport, type Outgoing } from "./transport.ts";
import type {
  CrewInputs,
  KickoffAnswer,
  KickoffRequest,
  ResumeAnswer,
  ResumeRequest,
  StatusPath,
  StatusReading,
} from "./types.ts";

/** Gives the token when a request needs it, so that a changed one counts at once. What it throws passes through the client. */
export type TokenSource = () => Promise<string | TypedToken>;

/** What a caller may say of one call. */
export interface CallOptions {
  /** Ends the call with an error of kind `aborted`. */
  readonly signal?: AbortSignal;
  /** Milliseconds for each attempt, the whole body included. 30 s for a GET and 60 s for a POST where absent. */
  readonly timeoutMs?: number;
}

/** Settings of a client; all have defaults. */
export interface CrewClientOptions {
  /** node-fetch where absent. */
  readonly fetch?: Fetch;
  readonly clock?: Clock;
  /** From 0 to 1; spreads repeated GETs. */
  readonly random?: () => number;
  /** The status path that this crew answered before. */
  readonly statusPath?: StatusPath;
  /** Hears which status path the crew answers, once that is seen and differs from `statusPath`; to be kept with the crew. */
  readonly onStatusPath?: (path: StatusPath) => void;
  /** Hears of a refused token (401, 403), and of a local crew's project that can't be read, before the error is thrown, and may put a remedy beside it. */
  readonly onRefused?: (error: CrewApiError) => Promise<void>;
  /** Hears of every request when it leaves and when it has ended, for a log. */
  readonly onTraffic?: (traffic: Traffic) => void;
  /** Limit of an answer's body in bytes; 64 MB where absent. */
  readonly maxBytes?: number;
  readonly userAgent?: string;
  /** Served on this machine by the local service: what is said to a person then sends nobody to a dashboard. */
  readonly isLocal?: boolean;
}

const getTimeout = 30_000;
/** Milliseconds in which a POST is answered or given up, unless a caller says otherwise. */
export const postTimeout = 60_000;
const defaultMaxBytes = 64 * 1024 * 1024;

/**
 * The Crew Execution API as a client sees it, in both dialects. Every method throws {@link CrewApiError}, and what the token's
 * source throws. GETs are asked again where that can help, a POST never: each costs money or speaks for a person.
 */
export class CrewClient {
  /** The crew's address in its normal form. */
  readonly baseUrl: string;
  readonly #transport: Transport;
  readonly #onStatusPath: (path: StatusPath) => void;
  readonly #onRefused: (error: CrewApiError) => Promise<void>;
  #statusPath: StatusPath | undefined;
  #inputNames: readonly string[] = [];

  /** @throws {AddressError} for an address that no token may be sent to */
  constructor(
    baseUrl: string,
    token: string | TypedToken | TokenSource,
    options: CrewClientOptions = {},
  ) {
    this.baseUrl = normaliseAddress(baseUrl);
    this.#statusPath = options.statusPath;
    this.#onStatusPath = options.onStatusPath ?? (() => undefined);
    this.#onRefused = options.onRefused ?? (() => Promise.resolve());
    this.#transport = new Transport({
      baseUrl: this.baseUrl,
      token: typeof token === "function" ? token : () => Promise.resolve(token),
      fetch: options.fetch ?? defaultFetch,
      clock: options.clock ?? systemClock,
      random: options.random ?? Math.random,
      maxBytes: options.maxBytes ?? defaultMaxBytes,
      userAgent: options.userAgent ?? "crewdeck",
      onTraffic: options.onTraffic ?? (() => undefined),
      isLocal: options.isLocal ?? false,
    });
  }

  /** `GET /inputs`: what the crew asks for. Quick where the crew is up, so it serves to test a connection, too. */
  async inputs(call: CallOptions = {}): Promise<CrewInputs> {
    const inputs = await this.#get("/inputs", readInputs, call);
    this.#inputNames = inputs.fields.map((field) => field.name);
    return inputs;
  }

  /** `POST /kickoff`: starts an execution. An error with `sent: "maybe"` means that it may have started. */
  async kickoff(request: KickoffRequest, call: CallOptions = {}): Promise<KickoffAnswer> {
    return await this.#post("/kickoff", kickoffBody(request), readKickoff, call);
  }

  /**
   * Status of an execution, by the specification's path or, where the crew has no such route, by the other one.
   * "NOT FOUND" in an answer of 200 gives the state `unknown`; 404 for the execution is an error of kind `notFound`.
   */
  status(kickoffId: string, call: CallOptions = {}): Promise<StatusReading> {
    return this.#status(kickoffId, (raw) => (isObject(raw) ? readStatus(raw) : undefined), call);
  }

  /** The same answer as it came, without the token: JSON, whatever it says. */
  rawStatus(kickoffId: string, call: CallOptions = {}): Promise<string> {
    return this.#status(kickoffId, (_, text) => text(), call);
  }

  async #status<T>(kickoffId: string, read: Outgoing<T>["read"], call: CallOptions): Promise<T> {
    let refused: unknown;
    for (const statusPath of pathsToAsk(this.#statusPath)) {
      const path = fillPath(statusPath, kickoffId);
      try {
        const reading = await this.#get(path, read, call);
        this.#remember(statusPath);
        return reading;
      } catch (error) {
        if (!isUnknownRoute(error, path)) {
          if (error instanceof CrewApiError && error.kind === "notFound")
            this.#remember(statusPath);
          throw error;
        }
        refused ??= error;
      }
    }
    throw refused;
  }

  /**
   * Which status path the crew answers, found by asking for an id that no execution has: a GET has no effect and costs nothing.
   * Nothing where neither is answered, or the token may not ask. Throws only when the call was ended.
   */
  async findStatusPath(call: CallOptions = {}): Promise<StatusPath | undefined> {
    const id = randomUUID();
    const [first = "/{kickoff_id}/status"] = pathsToAsk(this.#statusPath);
    try {
      await this.status(id, call);
      return this.#statusPath;
    } catch (error) {
      if (!(error instanceof CrewApiError) || error.kind === "aborted") throw error;
      return error.kind === "notFound" && !isUnknownRoute(error, fillPath(first, id))
        ? this.#statusPath
        : undefined;
    }
  }

  /** `POST /resume`: approves or rejects a task's output. An error with `sent: "maybe"` means that it may have arrived. */
  async resume(request: ResumeRequest, call: CallOptions = {}): Promise<ResumeAnswer> {
    return await this.#post(
      "/resume",
      resumeBody(request),
      (raw) => (isObject(raw) ? readResume(raw) : undefined),
      call,
    );
  }

  #remember(path: StatusPath): void {
    if (path === this.#statusPath) return;
    this.#statusPath = path;
    this.#onStatusPath(path);
  }

  #get<T>(path: string, read: Outgoing<T>["read"], call: CallOptions): Promise<T> {
    return this.#request({
      method: "GET",
      path,
      read,
      timeoutMs: call.timeoutMs ?? getTimeout,
      signal: call.signal,
    });
  }

  #post<T>(path: string, body: object, read: Outgoing<T>["read"], call: CallOptions): Promise<T> {
    const timeoutMs = call.timeoutMs ?? postTimeout;
    return this.#request({
      method: "POST",
      path,
      body,
      read,
      timeoutMs,
      signal: call.signal,
      knownInputs: this.#inputNames,
    });
  }

  async #request<T>(outgoing: Outgoing<T>): Promise<T> {
    try {
      return await this.#transport.request(outgoing);
    } catch (error) {
      if (
        error instanceof CrewApiError &&
        (error.kind === "unauthorized" || error.kind === "forbidden" || error.place !== undefined)
      )
        await this.#onRefused(error);
      throw error;
    }
  }
}
