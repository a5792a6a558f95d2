import type { JsonObject, JsonValue } from "../base/json.ts";
import type { CallbackName } from "./callbacks.ts";

export type { ActivityEvent, Picture, TokenUsage } from "./read-events.ts";
export type {
  Decision,
  HeldCall,
  Progress,
  Question,
  StatusReading,
  TaskReading,
  TestVerdict,
  Trigger,
  UndeliveredCallbacks,
} from "./read-status.ts";

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
  /** Only the local service has it, from the project. */
  readonly example?: JsonValue;
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

export interface Bearer {
  readonly strategy: "bearer";
  readonly token: string;
}

export interface Basic {
  readonly strategy: "basic";
  readonly username: string;
  readonly password: string;
}

/** May be stored, shown and written to files. */
export type PlainCallbacks = Callbacks<Omit<Bearer, "token">, Omit<Basic, "password">>;

/** Never stored with an execution. */
export type SecretCallbacks = Callbacks<Bearer, Basic>;

export interface KickoffRequest extends CallbackUrls, SecretCallbacks {
  readonly inputs: JsonObject;
  readonly meta?: JsonObject;
  /** An earlier execution of a flow, whose state is restored (observed). */
  readonly restoreFromStateId?: string;
  readonly extra?: JsonObject;
  readonly runAgain?: RunAgainFrom;
  readonly rules?: CallRules;
  /** Where a debugger waits for the crew's Python. Only Crewdeck's local service knows it. */
  readonly debugPort?: number;
}

/** How it runs, and which calls wait for a person. Only Crewdeck's local service knows it. */
export interface CallRules {
  /** Names of tools; `*` for all. */
  readonly approveTools?: readonly string[];
  readonly limits?: Budget;
  /** By which dollars are known. */
  readonly prices?: Readonly<Record<string, { readonly input: number; readonly output: number }>>;
  /** The variable MODEL, in place of the project's. */
  readonly model?: string;
  readonly expect?: readonly JsonObject[];
  /** Answers its calls by a recording in the project's folder. */
  readonly replay?: JsonObject;
}

/** What an execution may use before its next call of a model waits. */
export interface Budget {
  readonly tokens?: number;
  readonly dollars?: number;
}

/** An earlier execution of which the outputs before a task are kept. Only Crewdeck's local service knows it. */
export interface RunAgainFrom {
  readonly executionId: string;
  readonly taskId: string;
  /** Outputs of earlier tasks by task ID, in place of those that they had. */
  readonly outputs?: Readonly<Record<string, string>>;
  /** Keeps outputs of tasks that have changed since, and leaves out those of tasks that no longer run before it. */
  readonly keepChanged?: boolean;
}

export interface KickoffAnswer {
  readonly kickoffId: string;
}

export interface ResumeRequest extends CallbackUrls, SecretCallbacks {
  readonly executionId: string;
  readonly taskId: string;
  readonly humanFeedback: string;
  readonly isApprove: boolean;
  /** It answers what a flow asks: `humanFeedback` decides, not `isApprove`. Only the local service reads it. */
  readonly isAnswer?: true;
  /** Of a tool's call: later ones in this execution are allowed, too. Only the local service reads it. */
  readonly isForRun?: true;
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
