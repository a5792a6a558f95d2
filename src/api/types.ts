/** Any value that JSON can carry. */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = Readonly<Record<string, JsonValue>>;

/** The two kinds of token (specification, Authentication): an organisation's, and a user's with fewer rights. */
export type TokenType = "bearer" | "userBearer";

/** One value that a crew asks for, as far as `GET /inputs` tells. A bare name has only `name`. */
export interface InputField {
  /** Any string at all: never use it as an element id, a settings key or an object path. */
  readonly name: string;
  readonly type?: "string" | "number" | "integer" | "boolean" | "object" | "array";
  readonly description?: string;
  /** Absent where the answer does not say; see `isRequired`. */
  readonly required?: boolean;
  readonly default?: JsonValue;
  readonly enum?: readonly JsonValue[];
}

/** The answer of `GET /inputs` in one shape, whichever of the four shapes on the wire it had. */
export interface CrewInputs {
  readonly fields: readonly InputField[];
  readonly raw: unknown;
}

/** Where the crew reports back. Absent means none (specification; `null` and `""` mean the same on the wire). */
export interface CallbackUrls {
  readonly taskWebhookUrl?: string;
  readonly stepWebhookUrl?: string;
  readonly crewWebhookUrl?: string;
  /** Observed on deployed crews and working. */
  readonly humanInputWebhookUrl?: string;
}

/** Human-input callback with credentials (vendor's human-in-the-loop guide). */
export interface HumanInputWebhook {
  readonly url: string;
  readonly authentication?:
    | { readonly strategy: "bearer"; readonly token: string }
    | { readonly strategy: "basic"; readonly username: string; readonly password: string };
}

/** Event streaming (vendor's webhook streaming guide). */
export interface StreamingWebhooks {
  readonly events: readonly string[];
  readonly url: string;
  readonly realtime?: boolean;
  readonly authentication?: { readonly strategy: "bearer"; readonly token: string };
}

/** The callbacks that take credentials, without the secret part: what may be kept, shown and put into files. */
export interface PlainCallbacks {
  readonly humanInputWebhook?: {
    readonly url: string;
    readonly authentication?:
      { readonly strategy: "bearer" } | { readonly strategy: "basic"; readonly username: string };
  };
  readonly webhooks?: {
    readonly events: readonly string[];
    readonly url: string;
    readonly realtime?: boolean;
    readonly authentication?: { readonly strategy: "bearer" };
  };
}

/** The callbacks that hold secrets; never stored with an execution. */
export interface SecretCallbacks {
  readonly humanInputWebhook?: HumanInputWebhook;
  readonly webhooks?: StreamingWebhooks;
}

/** Body of `POST /kickoff` (specification, and the observed additions). */
export interface KickoffRequest extends CallbackUrls, SecretCallbacks {
  readonly inputs: JsonObject;
  readonly meta?: JsonObject;
}

/** Answer of `POST /kickoff`. */
export interface KickoffAnswer {
  readonly kickoffId: string;
  readonly raw: unknown;
}

/** What a person says of a task's output; body of `POST /resume`. Callbacks are not carried over, so they are given again. */
export interface ResumeRequest extends CallbackUrls, SecretCallbacks {
  readonly executionId: string;
  readonly taskId: string;
  readonly humanFeedback: string;
  readonly isApprove: boolean;
}

/** Answer of `POST /resume`: the documented dialect has `status` and `message`, the live one a new `kickoffId` to follow. */
export interface ResumeAnswer {
  readonly status?: "resumed" | "retrying" | "completed";
  readonly message?: string;
  /** The id under which the same execution goes on, where it changes (observed). */
  readonly kickoffId?: string;
  readonly raw: unknown;
}

/** How far an execution is. */
export interface Progress {
  readonly completed: number;
  /** Absent for a flow, whose number of steps is not known beforehand. */
  readonly total?: number;
  /** "task" for a crew, "step" for a flow. */
  readonly unit: string;
  /** Name of the task under way. */
  readonly current?: string;
  readonly currentAgent?: string;
}

/** One task of an execution as a status answer tells it. */
export interface TaskReading {
  readonly taskId: string;
  readonly output?: string;
  /** In one short line, as all names that are only shown. */
  readonly agent?: string;
  /** Seconds. */
  readonly executionTime?: number;
}

/** What one status answer says, whichever dialect it speaks. */
export interface StatusReading {
  /** `waiting` only with a known task id; `unknown` is "NOT FOUND" (which a pause for a person reads as, too); `other` is a word nobody knows. */
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
  /** The state's word as it came, in one short line. */
  readonly stateText: string;
  /** Whether nothing more will come. */
  readonly ended: boolean;
  readonly progress?: Progress;
  readonly tasks: readonly TaskReading[];
  readonly output?: string;
  readonly outputJson?: JsonValue;
  readonly error?: string;
  readonly waiting?: {
    readonly taskId: string;
    readonly output?: string;
    readonly attempt?: number;
  };
  /** Seconds. */
  readonly executionTime?: number;
  /** The answer as it came. */
  readonly raw: unknown;
}

/** Which of the two status paths a crew answers (specification's, or the vendor's OpenAPI file). */
export type StatusPath = "/{kickoff_id}/status" | "/status/{kickoff_id}";
