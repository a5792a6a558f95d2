// Imports nothing of Crewdeck, so that other extensions can copy it.
import type * as vscode from "vscode";

export type CrewdeckJson =
  | string
  | number
  | boolean
  | null
  | readonly CrewdeckJson[]
  | { readonly [name: string]: CrewdeckJson };

export interface CrewdeckCrew {
  readonly name: string;
  readonly url: string;
  /** Whether it is served on this machine. */
  readonly isLocal: boolean;
}

export interface CrewdeckTokens {
  readonly total: number;
  readonly prompt?: number;
  readonly completion?: number;
  /** Of the prompt. */
  readonly cached?: number;
}

export interface CrewdeckUsage {
  readonly tokens: CrewdeckTokens;
  /** By the setting `crewdeck.prices`. Undefined if none of the tokens has a price. */
  readonly estimatedCost?: {
    /** US dollars. */
    readonly amount: number;
    /** Tokens that are not in `amount`, because they have no price. */
    readonly unpricedTokens: number;
  };
  /** Add up to `tokens`. Without a name: those of which the model isn't known. */
  readonly models: readonly { readonly model?: string; readonly tokens: CrewdeckTokens }[];
}

export interface CrewdeckTask {
  readonly taskId: string;
  readonly agent?: string;
  readonly state: "running" | "waiting" | "completed" | "failed" | "pending";
  /** The last attempt's output. */
  readonly output?: string;
  /** Oldest first. */
  readonly attempts: readonly {
    readonly number: number;
    readonly output?: string;
    readonly feedback?: { readonly isApprove: boolean; readonly text: string };
  }[];
  /** Of all attempts. Undefined if the crew doesn't report it. */
  readonly usage?: CrewdeckUsage;
}

/** "unconfirmed": the kickoff got no response; "unknown": the crew reports no known state. */
export type CrewdeckState =
  "queued" | "running" | "waiting" | "completed" | "failed" | "stopped" | "unknown" | "unconfirmed";

/** A tracked execution: plain data that does not change. */
export interface CrewdeckExecution {
  /** The crew's name. */
  readonly crew: string;
  /** The first ID, or a local one while the kickoff has no response. */
  readonly kickoffId: string;
  /** All IDs: a resume may bring a new one. Empty while the kickoff has no response. */
  readonly kickoffIds: readonly string[];
  readonly title: string;
  readonly state: CrewdeckState;
  /** The crew no longer knows the ID, which is also how a deployed crew's pause looks. */
  readonly mayBeWaiting?: boolean;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly tasks: readonly CrewdeckTask[];
  readonly output?: string;
  readonly error?: string;
  /** Of a flow: `message` is what it asks, `answers` are those that it names. */
  readonly waiting?: {
    readonly taskId: string;
    readonly output?: string;
    readonly message?: string;
    readonly answers?: readonly string[];
  };
  /** Undefined if the crew doesn't report it. */
  readonly usage?: CrewdeckUsage;
}

export interface CrewdeckKickoff {
  /** Name or address of a connected crew. */
  readonly crew: string;
  readonly inputs?: { readonly [name: string]: CrewdeckJson };
  readonly meta?: { readonly [name: string]: CrewdeckJson };
  readonly taskWebhookUrl?: string;
  readonly stepWebhookUrl?: string;
  readonly crewWebhookUrl?: string;
}

export interface CrewdeckStop {
  /** Name or address. */
  readonly crew?: string;
  /** Any of the execution's IDs. */
  readonly kickoffId: string;
}

export interface CrewdeckFeedback extends CrewdeckStop {
  /** Default: the task that waits. */
  readonly taskId?: string;
  readonly isApprove: boolean;
  /** Later tasks read it. Required for a rejection. A flow is answered with it alone. */
  readonly feedback?: string;
}

/** What `activate()` returns. Members are added, never changed, while `version` is 1. */
export interface CrewdeckApi {
  readonly version: 1;
  crews(): readonly CrewdeckCrew[];
  /** Newest first. */
  executions(): readonly CrewdeckExecution[];
  readonly onDidChangeExecution: vscode.Event<CrewdeckExecution>;
  /** Starts an execution without asking; never sent twice. Rejects with a message for a person. */
  kickoff(kickoff: CrewdeckKickoff): Promise<{ readonly crew: string; readonly kickoffId: string }>;
  /** Approves or rejects; sent at most once. Rejects with a message for a person. */
  resume(
    feedback: CrewdeckFeedback,
  ): Promise<{ readonly status: "resumed" | "retrying" | "completed"; readonly message: string }>;
  /** Asks the crew to stop an execution, without asking; sent once. Only its state shows whether it stopped. Rejects with a message for a person. */
  stop(execution: CrewdeckStop): Promise<{ readonly status: string }>;
}
