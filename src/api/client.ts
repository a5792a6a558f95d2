import * as l10n from "@vscode/l10n";
import { systemClock } from "../base/clock.ts";
import {
  asObject,
  defined,
  idAt,
  isObject,
  parseJson,
  textAt,
  type UnknownObject,
} from "../base/json.ts";
import { safeUrl } from "../base/loopback.ts";
import { oneLine } from "../base/text.ts";
import { normaliseAddress } from "./address.ts";
import { callbackMembers } from "./callbacks.ts";
import { CrewApiError } from "./errors.ts";
import { type KeptCall, readCalls } from "./read-events.ts";
import { readInputs } from "./read-inputs.ts";
import { readStatus } from "./read-status.ts";
import { defaultFetch, type Line, type Outgoing, send } from "./transport.ts";
import type {
  CallbackUrls,
  CrewInputs,
  KickoffAnswer,
  KickoffRequest,
  ResumeAnswer,
  ResumeRequest,
  SecretCallbacks,
  StatusReading,
  StopAnswer,
  TypedToken,
} from "./types.ts";

type CallOptions = Pick<Outgoing<unknown>, "signal">;

export interface CrewClientOptions extends Partial<Omit<Line, "baseUrl" | "token">> {
  /** Called before the error of a crew that can't stop executions is thrown. */
  readonly onNoStop?: () => void;
  /** Called before a 401, a 403 or an unreadable local project is thrown; may attach actions to it. */
  readonly onRefused?: (error: CrewApiError) => void;
}

/**
 * A POST is never retried: it costs money, or sends a decision; `sent: "maybe"`: it may have
 * arrived.
 */
export class CrewClient {
  readonly #line: Line;
  readonly #options: CrewClientOptions;
  #statusPath: (typeof statusPaths)[number] | undefined;

  /** @throws {AddressError} if no token may be sent to the address */
  constructor(
    baseUrl: string,
    token: string | TypedToken | Line["token"],
    options: CrewClientOptions = {},
  ) {
    this.#options = options;
    this.#line = {
      fetch: defaultFetch,
      clock: systemClock,
      userAgent: "crewdeck",
      onTraffic: () => undefined,
      random: Math.random,
      maxBytes: 64 * 1024 * 1024,
      ...options,
      baseUrl: normaliseAddress(baseUrl),
      token: typeof token === "function" ? token : () => Promise.resolve(token),
    };
  }

  get baseUrl(): string {
    return this.#line.baseUrl;
  }

  /** `GET /inputs`; also tests a connection. */
  inputs(call: CallOptions = {}): Promise<CrewInputs> {
    return this.#ask("GET", "/inputs", readInputs, call);
  }

  /** Asks a local crew's Python for the inputs that its files don't say, which runs the project's code. */
  askInputs(call: CallOptions = {}): Promise<CrewInputs> {
    return this.#ask("POST", "/inputs/ask", readInputs, { ...call, timeoutMs: 10 * 60_000 });
  }

  kickoff(request: KickoffRequest, call: CallOptions = {}): Promise<KickoffAnswer> {
    return this.#ask("POST", "/kickoff", readKickoff, { ...call, body: kickoffBody(request) });
  }

  /** "NOT FOUND" in a 200 is the state `unknown`; a 404 is an error of kind `notFound`. */
  status(kickoffId: string, call: CallOptions = {}): Promise<StatusReading> {
    return this.#status(kickoffId, (raw) => (isObject(raw) ? readStatus(raw) : undefined), call);
  }

  rawStatus(kickoffId: string, call: CallOptions = {}): Promise<string> {
    return this.#status(kickoffId, (raw, text) => (raw === undefined ? undefined : text()), call);
  }

  /** `GET /executions/{kickoff_id}/recording` of a local crew: its calls, by which a test replays it. */
  recording(kickoffId: string, call: CallOptions = {}): Promise<string> {
    const path = fillPath("/executions/{kickoff_id}/recording", kickoffId);
    return this.#ask("GET", path, (_raw, text) => text(), call);
  }

  async #status<T>(kickoffId: string, read: Outgoing<T>["read"], call: CallOptions): Promise<T> {
    let refused: unknown;
    const isOther = this.#statusPath === statusPaths[1];
    for (const statusPath of isOther ? statusPaths.toReversed() : statusPaths) {
      const path = fillPath(statusPath, kickoffId);
      try {
        const reading = await this.#ask("GET", path, read, call);
        this.#statusPath = statusPath;
        return reading;
      } catch (error) {
        if (isUnknownRoute(error, path)) {
          refused ??= error;
          continue;
        }
        if (error instanceof CrewApiError && error.kind === "notFound")
          this.#statusPath = statusPath;
        throw error;
      }
    }
    throw refused;
  }

  resume(request: ResumeRequest, call: CallOptions = {}): Promise<ResumeAnswer> {
    return this.#ask("POST", "/resume", readResume, { ...call, body: resumeBody(request) });
  }

  async stop(kickoffId: string, call: CallOptions = {}): Promise<StopAnswer> {
    const path = fillPath("/stop/{kickoff_id}", kickoffId);
    try {
      return await this.#ask("POST", path, readStop, call);
    } catch (error) {
      if (!(error instanceof CrewApiError) || !isUnknownRoute(error, path)) throw error;
      this.#options.onNoStop?.();
      const { status, body } = error;
      throw new CrewApiError({
        ...{ kind: "notFound", ...defined({ status, body }) },
        message: l10n.t("The crew does not offer to stop an execution ({0}).", status ?? 404),
        remedy: l10n.t("The execution continues."),
      });
    }
  }

  /** Of models and tools. Deployed crews keep none, and don't know the path. */
  calls(kickoffId: string, call: CallOptions = {}): Promise<readonly KeptCall[]> {
    const path = fillPath("/executions/{kickoff_id}/calls", kickoffId);
    return this.#ask("GET", path, readCalls, call);
  }

  call(kickoffId: string, number: number, call: CallOptions = {}): Promise<UnknownObject> {
    const path = `${fillPath("/executions/{kickoff_id}/calls", kickoffId)}/${number}`;
    return this.#ask("GET", path, asObject, call);
  }

  /** Answers a flow's request at its own address, without the crew's token. */
  async answerRequest(url: string, feedback: string): Promise<ResumeAnswer> {
    const address = safeUrl(url);
    if (address === undefined)
      throw new CrewApiError({
        kind: "badRequest",
        message: l10n.t("The address in the flow's request can't be used for an answer."),
        remedy: l10n.t("It needs https:// and no user name. Answer in the dashboard."),
      });
    const { origin, pathname, search } = address;
    const token = () => Promise.resolve(null);
    const line = { ...this.#line, baseUrl: origin, token, isLocal: false, isOutside: true };
    return await send(line, {
      ...{ method: "POST", path: pathname + search, timeoutMs: 60_000 },
      body: { feedback, source: "crewdeck" },
      // Any answer says that what a person answered arrived.
      read: (raw) =>
        defined({ message: lineAt(asObject(raw), "message", "detail", "error", "status") }),
    });
  }

  async #ask<T>(
    method: "GET" | "POST",
    path: string,
    read: Outgoing<T>["read"],
    more: Pick<Partial<Outgoing<T>>, "body" | "timeoutMs" | "signal">,
  ): Promise<T> {
    const timeoutMs = method === "GET" ? 30_000 : 60_000;
    try {
      return await send(this.#line, { method, path, read, timeoutMs, ...more });
    } catch (error) {
      if (error instanceof CrewApiError) {
        const { kind, place } = error;
        if (kind === "unauthorized" || kind === "forbidden" || place !== undefined)
          this.#options.onRefused?.(error);
      }
      throw error;
    }
  }
}

/** The specification's, and the vendor's OpenAPI file's. */
const statusPaths = ["/{kickoff_id}/status", "/status/{kickoff_id}"] as const;

/** @throws {CrewApiError} `badRequest` for an ID that a path can't hold */
function fillPath(path: `/${string}`, kickoffId: string): string {
  const id = kickoffId.trim();
  if (id === "" || id === "." || id === ".." || !id.isWellFormed())
    throw new CrewApiError({
      kind: "badRequest",
      message: l10n.t("That isn't a valid execution ID."),
      remedy: l10n.t("Use the kickoff_id that the crew returned when the execution was started."),
    });
  return path.replace("{kickoff_id}", () => encodeURIComponent(id));
}

/** Observed: `{"detail":"Not Found"}`, a page or an empty body; others name the execution. */
function isUnknownRoute(error: unknown, path: string): boolean {
  if (!(error instanceof CrewApiError)) return false;
  if (error.status === 405) return true;
  if (error.status !== 404) return false;
  const body = asObject(parseJson(error.body ?? ""));
  const texts = [body["error"], body["message"], body["detail"]];
  const text = texts.filter((one) => typeof one === "string").join(" ");
  return !/execution|kickoff|task/i.test(text.replaceAll(path, ""));
}

export function kickoffBody(request: KickoffRequest): object {
  const { inputs, meta, restoreFromStateId, extra, runAgain, rules, debugPort } = request;
  const run_again = runAgain && {
    execution_id: runAgain.executionId,
    task_id: runAgain.taskId,
    ...defined({ outputs: runAgain.outputs, keep_changed: runAgain.keepChanged }),
  };
  const { approveTools: approve_tools, limits, model, expect, replay, prices } = rules ?? {};
  const priced = defined({ prices });
  return {
    ...extra,
    inputs,
    ...defined({ meta, restoreFromStateId, run_again, approve_tools, model, replay }),
    ...defined({ debug_port: debugPort }),
    ...(limits && { limits: { ...limits, ...priced } }),
    ...(expect && { test: { expect, ...priced } }),
    ...callbacks(request),
  };
}

/** Sends each field in snake case (specification) and in camel case, because deployed crews require `executionId` and `taskId` (observed). */
function resumeBody(request: ResumeRequest): object {
  const { executionId, taskId, humanFeedback, isApprove, isAnswer, isForRun } = request;
  return {
    ...{ execution_id: executionId, executionId },
    ...{ task_id: taskId, taskId },
    ...{ human_feedback: humanFeedback, humanFeedback },
    ...{ is_approve: isApprove, isApprove },
    ...defined({ is_answer: isAnswer, for_run: isForRun }),
    ...callbacks(request),
  };
}

function callbacks(request: CallbackUrls & SecretCallbacks): object {
  const given = callbackMembers.map((name) => [name, request[name]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== ""));
}

const resumeStatuses = ["resumed", "retrying", "completed"] as const;

export function readKickoff(raw: unknown): KickoffAnswer | undefined {
  const kickoffId = kickoffIdAt(asObject(raw));
  return kickoffId === undefined ? undefined : { kickoffId };
}

/** `status` and `message` (specification), or the new kickoff ID (observed). */
export function readResume(raw: unknown): ResumeAnswer | undefined {
  if (!isObject(raw)) return undefined;
  const said = textAt(raw, "status")?.trim().toLowerCase();
  const status = resumeStatuses.find((known) => known === said);
  // An unknown status is shown as the message.
  const message = lineAt(raw, "message", ...(status === undefined ? ["status"] : []));
  return defined({ status, message, kickoffId: kickoffIdAt(raw) });
}

export function readStop(raw: unknown): StopAnswer | undefined {
  return isObject(raw) ? { status: lineAt(raw, "status") ?? "stopped" } : undefined;
}

function lineAt(answer: UnknownObject, ...names: readonly string[]): string | undefined {
  const text = textAt(answer, ...names);
  return text === undefined ? undefined : oneLine(text, 300);
}

/** No URL can carry a lone surrogate. */
function kickoffIdAt(answer: UnknownObject): string | undefined {
  const id = idAt(answer, "kickoff_id", "kickoffId");
  return id === undefined || id.isWellFormed() ? id : undefined;
}
