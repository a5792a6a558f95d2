import type { JsonObject, JsonValue } from "../base/json.ts";
import type { CallbackName } from "./callbacks.ts";

export type { JsonObject, JsonValue };

/** The organisation's token, or a user's with fewer rights (specification, Authentication). */
export type TokenType = "bearer" | "userBearer";

export interface TypedToken {
  readonly token: string;
  readonly type: TokenType;
}

export interface InputField {
  /** Any string: never use it as an element ID, a settings key or an object path. */
  readonly name: string;
  readonly type?: "string" | "number" | "integer" | "boolean" | "object" | "array";
  readonly description?: string;
  /** Undefined if the answer doesn't say; see `isRequired`. */
  readonly required?: boolean;
  readonly default?: JsonValue;
  readonly enum?: readonly JsonValue[];
}

export interface CrewInputs {
  readonly fields: readonly InputField[];
}

/** On the wire, `null` and `""` mean none (specification). */
export type CallbackUrls = Readonly<Partial<Record<CallbackName, string>>>;

interface Callbacks<Bearer, Basic> {
  /** Vendor's human-in-the-loop guide. */
  readonly humanInputWebhook?: { readonly url: string; readonly authentication?: Bearer | Basic };
  /** Vendor's webhook streaming guide. */
  readonly webhooks?: {
    readonly events: readonly string[];
    readonly url: string;
    readonly realtime?: boolean;
    readonly authentication?: Bearer;
  };
}

interface PlainBearer {
  readonly strategy: "bearer";
}

interface PlainBasic {
  readonly strategy: "basic";
  readonly username: string;
}

export type Bearer = PlainBearer & { readonly token: string };
export type Basic = PlainBasic & { readonly password: string };

/** May be stored, shown and written to files. */
export type PlainCallbacks = Callbacks<PlainBearer, PlainBasic>;

/** Never stored with an execution. */
export type SecretCallbacks = Callbacks<Bearer, Basic>;

/** Specification, and the observed additions. */
export interface KickoffRequest extends CallbackUrls, SecretCallbacks {
  readonly inputs: JsonObject;
  readonly meta?: JsonObject;
  /** An earlier execution of a flow, whose state is restored (observed). */
  readonly restoreFromStateId?: string;
  /** Members that Crewdeck doesn't know. */
  readonly extra?: JsonObject;
  readonly runAgain?: RunAgainFrom;
}

/** An earlier execution of which the outputs before a task are kept. Only Crewdeck's local service knows it. */
export interface RunAgainFrom {
  readonly executionId: string;
  /** The first task that runs. */
  readonly taskId: string;
  /** Outputs of earlier tasks by task ID, in place of those that they had. */
  readonly outputs?: Readonly<Record<string, string>>;
  /** Keeps outputs of tasks that have changed since, and leaves out those of tasks that no longer run before it. */
  readonly keepChanged?: boolean;
}

export interface KickoffAnswer {
  readonly kickoffId: string;
}

/** Body of `POST /resume`. */
export interface ResumeRequest extends CallbackUrls, SecretCallbacks {
  readonly executionId: string;
  readonly taskId: string;
  readonly humanFeedback: string;
  readonly isApprove: boolean;
  /** It answers what a flow asks: `humanFeedback` decides, not `isApprove`. Only the local service reads it. */
  readonly isAnswer?: true;
}

/** Documented: `status` and `message`. Live: a new `kickoffId`. */
export interface ResumeAnswer {
  readonly status?: "resumed" | "retrying" | "completed";
  readonly message?: string;
  readonly kickoffId?: string;
}

/** The specification has no such route; published by the vendor (crewAIInc/crewAI, pull request 5208). */
export interface StopAnswer {
  /** `stopped`, or what the crew says instead. Only the status shows whether it has stopped. */
  readonly status: string;
}

export interface Progress {
  readonly completed: number;
  /** Undefined for a flow, whose steps can't be counted in advance. */
  readonly total?: number;
  /** "task" for a crew, "step" for a flow. */
  readonly unit: string;
  readonly current?: string;
  /** ISO 8601, as the crew reports it. */
  readonly startedAt?: string;
}

export interface TokenUsage {
  readonly total: number;
  readonly prompt?: number;
  readonly completion?: number;
  /** Of the prompt. */
  readonly cached?: number;
}

/** Something that happened in an execution, as crewAI's event bus reports it (recorded). */
export interface ActivityEvent {
  /** A repeat has the same. */
  readonly id: string;
  /** Such as `llm_call_started`; any word. */
  readonly type: string;
  /** Milliseconds since 1970, on the crew's clock. */
  readonly at: number;
  /** The start of what it is part of. */
  readonly parentId?: string;
  /** The start of what it ends. */
  readonly startedId?: string;
  readonly taskName?: string;
  readonly taskId?: string;
  readonly attempt?: number;
  readonly agent?: string;
  readonly model?: string;
  readonly tool?: string;
  /** Of a crew, a flow, or a flow's method. */
  readonly name?: string;
  readonly tokens?: TokenUsage;
  /** Texts: at most their first 2,000 characters. */
  readonly arguments?: string;
  readonly thought?: string;
  /** What came out: an output, a response, feedback. */
  readonly text?: string;
  readonly error?: string;
  /** Of a person's feedback. */
  readonly isApprove?: boolean;
  readonly picture?: Picture;
}

/** What an agent drew. */
export interface Picture {
  /** Also the extension of its file. */
  readonly type: "png" | "jpg" | "gif" | "webp";
  /** Left out where events are read from the store, which has it. */
  readonly base64?: string;
}

/** How many events there were, also of those that an answer leaves out. */
export interface EventCounts {
  readonly total?: number;
  /** Without parts of streamed texts. */
  readonly byType?: Readonly<Record<string, number>>;
}

/** Who or what started an execution, as the crew reports it. */
export interface Trigger {
  /** `user`, `service_account` or `unknown` (published by the vendor); any word. */
  readonly type?: string;
  readonly id?: string;
  /** `ui`, `schedule`, `trigger`, `chat`, `hitl-resume`, `replay` or `api` (published by the vendor); any word. */
  readonly origin?: string;
}

export interface TaskReading {
  readonly taskId: string;
  readonly output?: string;
  /** It is done with an empty output, as a conditional task whose condition was not met (crewAI's source). */
  readonly isSkipped?: true;
  readonly agent?: string;
  /** Seconds. */
  readonly executionTime?: number;
}

/** What a flow asks a person. */
export interface Question {
  /** The answers that it names, maybe none: any other text is an answer, too. */
  readonly options: readonly string[];
  readonly message?: string;
  /** The flow's own choice if nothing is answered. */
  readonly defaultOption?: string;
}

/** Callbacks of one kind that have not arrived. Only Crewdeck's local service reports them. */
export interface UndeliveredCallbacks {
  /** `task`, `step`, `crew`, `human_input` or `events`; any word. */
  readonly kind: string;
  readonly count: number;
  /** The most that failed for one of them; 0 before the end of the first one. */
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly error?: string;
  readonly isGivenUp?: true;
}

export interface StatusReading {
  /** `waiting` has a task ID. `unknown` is "NOT FOUND", also observed while a person is awaited. */
  readonly state:
    | "queued"
    | "running"
    | "waiting"
    | "awaiting"
    | "completed"
    | "failed"
    | "stopped"
    | "unknown"
    | "other";
  /** As received, in one short line. */
  readonly stateText: string;
  readonly ended: boolean;
  readonly progress?: Progress;
  /** Present while a flow waits for a person (published by the vendor). */
  readonly flowId?: string;
  readonly tasks: readonly TaskReading[];
  readonly output?: string;
  readonly error?: string;
  readonly waiting?: Pick<TaskReading, "taskId" | "output"> &
    Partial<Question> & { readonly attempt?: number };
  /** Seconds. */
  readonly executionTime?: number;
  /** Of the whole execution. */
  readonly usage?: TokenUsage;
  readonly trigger?: Trigger;
  readonly events?: readonly ActivityEvent[];
  readonly eventCounts?: EventCounts;
  readonly undelivered?: readonly UndeliveredCallbacks[];
}

/** The specification's, and the vendor's OpenAPI file's. */
export type StatusPath = "/{kickoff_id}/status" | "/status/{kickoff_id}";
