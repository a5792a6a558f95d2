import { randomUUID } from "node:crypto";
import * as l10n from "@vscode/l10n";
import { systemClock } from "../base/clock.ts";
import { defined, isObject, parseJson } from "../base/json.ts";
import { safeUrl } from "../base/loopback.ts";
import { isWellFormed } from "../base/text.ts";
import { normaliseAddress } from "./address.ts";
import { CrewApiError } from "./errors.ts";
import { readInputs } from "./read-inputs.ts";
import { readStatus } from "./read-status.ts";
import {
  kickoffBody,
  readAccepted,
  readKickoff,
  readResume,
  readStop,
  resumeBody,
} from "./requests.ts";
import { Transport, type Outgoing, type TransportOptions, defaultFetch } from "./transport.ts";
import type {
  CrewInputs,
  KickoffAnswer,
  KickoffRequest,
  ResumeAnswer,
  ResumeRequest,
  StatusPath,
  StatusReading,
  StopAnswer,
  TypedToken,
} from "./types.ts";

interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface CrewClientOptions extends Partial<Omit<TransportOptions, "baseUrl" | "token">> {
  /** If known. */
  readonly statusPath?: StatusPath;
  readonly onStatusPath?: (path: StatusPath) => void;
  /** Called before the error of a crew that can't stop executions is thrown. */
  readonly onNoStop?: () => void;
  /**
   * Called before a 401, a 403 or an unreadable local project is thrown; may attach actions to it.
   */
  readonly onRefused?: (error: CrewApiError) => void;
}

/**
 * The Crew Execution API. Methods throw {@link CrewApiError}, and what the token source throws. A
 * POST is never retried: it costs money or sends a person's decision.
 */
export class CrewClient {
  readonly baseUrl: string;
  readonly #transport: Transport;
  readonly #options: CrewClientOptions & Omit<TransportOptions, "baseUrl" | "token">;
  #statusPath: StatusPath | undefined;

  /** @throws {AddressError} if no token may be sent to the address */
  constructor(
    baseUrl: string,
    token: string | TypedToken | TransportOptions["token"],
    options: CrewClientOptions = {},
  ) {
    this.baseUrl = normaliseAddress(baseUrl);
    this.#statusPath = options.statusPath;
    this.#options = {
      fetch: defaultFetch,
      clock: systemClock,
      userAgent: "crewdeck",
      onTraffic: () => undefined,
      random: Math.random,
      maxBytes: 64 * 1024 * 1024,
      ...options,
    };
    this.#transport = new Transport({
      ...this.#options,
      baseUrl: this.baseUrl,
      token: typeof token === "function" ? token : () => Promise.resolve(token),
    });
  }

  /** Resolves if a crew may be at the address: it asks for a token, or answers as one. Nothing but the address is sent. */
  static async testAddress(
    url: string,
    options: CrewClientOptions,
    call: CallOptions = {},
  ): Promise<void> {
    try {
      await new CrewClient(url, () => Promise.resolve(null), options).inputs(call);
    } catch (error) {
      if (!(error instanceof CrewApiError)) throw error;
      if (error.kind !== "unauthorized" && error.kind !== "forbidden") throw error;
    }
  }

  /** `GET /inputs`; also tests a connection. */
  async inputs(call: CallOptions = {}): Promise<CrewInputs> {
    return await this.#get("/inputs", readInputs, call);
  }

  /** Asks a local crew's Python for the inputs that its files don't say, which runs the project's code. */
  async askInputs(call: CallOptions = {}): Promise<CrewInputs> {
    const path = "/inputs/ask";
    const outgoing = { method: "POST", path, read: readInputs, timeoutMs: 10 * 60_000 } as const;
    return await this.#request({ ...outgoing, ...call });
  }

  /** `sent: "maybe"` in an error: the execution may have started. */
  async kickoff(request: KickoffRequest, call: CallOptions = {}): Promise<KickoffAnswer> {
    return await this.#post("/kickoff", kickoffBody(request), readKickoff, call);
  }

  /** "NOT FOUND" in a 200 is the state `unknown`; a 404 is an error of kind `notFound`. */
  status(kickoffId: string, call: CallOptions = {}): Promise<StatusReading> {
    return this.#status(kickoffId, (raw) => (isObject(raw) ? readStatus(raw) : undefined), call);
  }

  rawStatus(kickoffId: string, call: CallOptions = {}): Promise<string> {
    return this.#status(kickoffId, (raw, text) => (raw === undefined ? undefined : text()), call);
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
        if (isUnknownRoute(error, path)) {
          refused ??= error;
          continue;
        }
        if (error instanceof CrewApiError && error.kind === "notFound") this.#remember(statusPath);
        throw error;
      }
    }
    throw refused;
  }

  /**
   * Requests a random ID, which costs nothing. Undefined if neither path answers or the token isn't
   * accepted; throws only if aborted.
   */
  async findStatusPath(call: CallOptions = {}): Promise<StatusPath | undefined> {
    const id = randomUUID();
    const [first] = pathsToAsk(this.#statusPath);
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

  /** `sent: "maybe"` in an error: the request may have arrived. */
  async resume(request: ResumeRequest, call: CallOptions = {}): Promise<ResumeAnswer> {
    return await this.#post("/resume", resumeBody(request), readResume, call);
  }

  /** `sent: "maybe"` in an error: the request may have arrived. */
  async stop(kickoffId: string, call: CallOptions = {}): Promise<StopAnswer> {
    const path = fillPath("/stop/{kickoff_id}", kickoffId);
    try {
      return await this.#post(path, undefined, readStop, call);
    } catch (error) {
      if (!(error instanceof CrewApiError) || !isUnknownRoute(error, path)) throw error;
      this.#options.onNoStop?.();
      throw cannotStop(error);
    }
  }

  /** Answers a flow's request at its own address, without the crew's token. Errors as of `resume`. */
  async answerRequest(url: string, feedback: string): Promise<ResumeAnswer> {
    const address = safeUrl(url);
    if (address === undefined)
      throw new CrewApiError({
        kind: "badRequest",
        message: l10n.t("The address in the flow's request can't be used for an answer."),
        remedy: l10n.t(
          "It must begin with https:// and have no user name. Answer in the dashboard.",
        ),
      });
    const { origin, pathname, search } = address;
    const token = () => Promise.resolve(null);
    return await new Transport({
      ...this.#options,
      ...{ baseUrl: origin, token, isLocal: false, isOutside: true },
    }).request({
      method: "POST",
      path: pathname + search,
      body: { feedback, source: "crewdeck" },
      read: readAccepted,
      timeoutMs: 60_000,
    });
  }

  #remember(path: StatusPath): void {
    if (path === this.#statusPath) return;
    this.#statusPath = path;
    this.#options.onStatusPath?.(path);
  }

  #get<T>(path: string, read: Outgoing<T>["read"], call: CallOptions): Promise<T> {
    return this.#request({ method: "GET", path, read, timeoutMs: 30_000, ...call });
  }

  #post<T>(
    path: string,
    body: object | undefined,
    read: Outgoing<T>["read"],
    call: CallOptions,
  ): Promise<T> {
    const request = { method: "POST", path, read, timeoutMs: 60_000 } as const;
    return this.#request({ ...request, ...defined({ body }), ...call });
  }

  async #request<T>(outgoing: Outgoing<T>): Promise<T> {
    try {
      return await this.#transport.request(outgoing);
    } catch (error) {
      if (
        error instanceof CrewApiError &&
        (error.kind === "unauthorized" || error.kind === "forbidden" || error.place !== undefined)
      )
        this.#options.onRefused?.(error);
      throw error;
    }
  }
}

function pathsToAsk(known?: StatusPath): readonly [StatusPath, StatusPath] {
  return known === "/status/{kickoff_id}"
    ? [known, "/{kickoff_id}/status"]
    : ["/{kickoff_id}/status", "/status/{kickoff_id}"];
}

/** @throws {CrewApiError} `badRequest` for an ID that a path can't hold */
function fillPath(path: StatusPath | "/stop/{kickoff_id}", kickoffId: string): string {
  const id = kickoffId.trim();
  if (id === "" || id === "." || id === ".." || !isWellFormed(id))
    throw new CrewApiError({
      kind: "badRequest",
      message: l10n.t("That isn't a valid execution ID."),
      remedy: l10n.t("Use the kickoff_id that the crew returned when the execution was started."),
    });
  return path.replace("{kickoff_id}", () => encodeURIComponent(id));
}

function cannotStop({ status, body }: CrewApiError): CrewApiError {
  return new CrewApiError({
    kind: "notFound",
    ...defined({ status, body }),
    message: l10n.t("The crew does not offer to stop an execution ({0}).", status ?? 404),
    remedy: l10n.t("The execution continues."),
  });
}

/**
 * An unknown route is observed as `{"detail":"Not Found"}`, a page or an empty body; an answer
 * about an unknown execution names it, apart from the requested `path`.
 */
function isUnknownRoute(error: unknown, path: string): boolean {
  if (!(error instanceof CrewApiError)) return false;
  if (error.status === 405) return true;
  if (error.status !== 404) return false;
  const body = parseJson(error.body ?? "");
  if (!isObject(body)) return true;
  const texts = [body["error"], body["message"], body["detail"]];
  const text = texts.filter((one) => typeof one === "string").join(" ");
  return !/execution|kickoff|task/i.test(text.replaceAll(path, ""));
}
