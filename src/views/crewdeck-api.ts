// Imports nothing of Crewdeck, so that other extensions can copy it.
import type * as vscode from "vscode";

/** What JSON can hold. */
export type CrewdeckJson =
  | string
  | number
  | boolean
  | null
  | readonly CrewdeckJson[]
  | { readonly [name: string]: CrewdeckJson };

/** A connected crew, for other extensions. */
export interface CrewdeckCrew {
  readonly name: string;
  readonly url: string;
  /** Whether it is served on this machine. */
  readonly isLocal: boolean;
}

/** A task of an execution, for other extensions. */
export interface CrewdeckTask {
  readonly taskId: string;
  readonly agent?: string;
  readonly state: "running" | "waiting" | "completed" | "failed" | "pending";
  /** The last attempt's output. */
  readonly output?: string;
  /** Oldest first; `feedback` is what a person said of that output. */
  readonly attempts: readonly {
    readonly number: number;
    readonly output?: string;
    readonly feedback?: { readonly isApprove: boolean; readonly text: string };
  }[];
}

/** A tracked execution, for other extensions: plain data that does not change. */
export interface CrewdeckExecution {
  /** The crew's name. */
  readonly crew: string;
  /** The first id, which names the execution; a local one while the kickoff's answer is missing. */
  readonly kickoffId: string;
  /** All ids; a resume may bring a new one. Empty while the kickoff's answer is missing. */
  readonly kickoffIds: readonly string[];
  readonly title: string;
  /** "unconfirmed": the kickoff was sent and its answer did not come; "unknown": the crew says nothing that is understood. */
  readonly state:
    | "queued"
    | "running"
    | "waiting"
    | "completed"
    | "failed"
    | "stopped"
    | "unknown"
    | "unconfirmed";
  /** The crew no longer knows the id, which is how a deployed crew's pause for a person reads. */
  readonly mayBeWaiting?: boolean;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly tasks: readonly CrewdeckTask[];
  readonly output?: string;
  readonly error?: string;
  readonly waiting?: { readonly taskId: string; readonly output?: string };
}

/** What starts an execution. */
export interface CrewdeckKickoff {
  /** Name or address of a connected crew. */
  readonly crew: string;
  readonly inputs?: { readonly [name: string]: CrewdeckJson };
  readonly meta?: { readonly [name: string]: CrewdeckJson };
  readonly taskWebhookUrl?: string;
  readonly stepWebhookUrl?: string;
  readonly crewWebhookUrl?: string;
}

/** What a person said of a task's output. */
export interface CrewdeckFeedback {
  /** Name or address of the crew; any of the execution's ids. */
  readonly crew?: string;
  readonly kickoffId: string;
  /** The task that waits, where it is known and this is absent. */
  readonly taskId?: string;
  readonly isApprove: boolean;
  /** Becomes context for later tasks. A rejection needs it. */
  readonly feedback?: string;
}

/** What `activate()` returns: the API for other extensions. Members are added, never changed, while `version` is 1. */
export interface CrewdeckApi {
  readonly version: 1;
  crews(): readonly CrewdeckCrew[];
  /** All tracked executions, newest first. */
  executions(): readonly CrewdeckExecution[];
  /** An execution was added or changed. */
  readonly onDidChangeExecution: vscode.Event<CrewdeckExecution>;
  /** Starts an execution without asking. Rejects with a message for a person. A kickoff is never sent twice. */
  kickoff(kickoff: CrewdeckKickoff): Promise<{ readonly crew: string; readonly kickoffId: string }>;
  /** Approves or rejects, at most once. Rejects with a message for a person. */
  resume(
    feedback: CrewdeckFeedback,
  ): Promise<{ readonly status: "resumed" | "retrying" | "completed"; readonly message: string }>;
}
