import type { JsonObject } from "../api/types.ts";
import type { CrewProject } from "../projects/types.ts";
import type { AuditEntry } from "./audit.ts";
import type { FlowQuestion, TokenUsage } from "./engine.ts";
import type { FeedbackAnswer } from "./flow-answers.ts";
import type { HeldCall, Rules } from "./questions.ts";

export type TokenType = "bearer" | "userBearer";

/** Who started an execution: one of the tokens of a service with a single crew, or a named one. */
export type Owner = TokenType | `organization ${string}` | `user ${string}`;

export interface Caller {
  readonly type: TokenType;
  readonly owner: Owner;
}

/** `feedback_request`, of a flow, and `spans` go to the address that the service is configured with. */
export type CallbackKind =
  "task" | "step" | "crew" | "human_input" | "events" | "feedback_request" | "spans";

export interface CallbackTarget {
  readonly url: string;
  readonly authorization?: string;
}

/** A resume replaces all those of the kickoff (specification). */
export interface Callbacks {
  readonly task?: CallbackTarget | undefined;
  readonly step?: CallbackTarget | undefined;
  readonly crew?: CallbackTarget | undefined;
  readonly humanInput?: CallbackTarget | undefined;
  readonly stream?:
    | (CallbackTarget & {
        readonly events: readonly string[];
        readonly isBatched?: boolean;
      })
    | undefined;
}

/** What an execution that runs again from a task keeps of an earlier one. */
export interface KeptOutputs {
  readonly taskId: string;
  readonly outputs: readonly KeptOutput[];
}

export interface KeptOutput {
  readonly taskId: string;
  readonly output: string;
  /** Of the task that made it; null if it need not fit: a person gave the output, or keeps it. */
  readonly fingerprint: string | null;
}

/** The project is a copy: later edits don't change it. */
export interface Execution {
  readonly id: string;
  readonly owner: Owner;
  /** Its name on a server with several; empty for the only one. */
  readonly crew: string;
  readonly project: CrewProject;
  readonly inputs: JsonObject;
  readonly meta: JsonObject | null;
  /** Those of the last decision, else those of the kickoff. */
  readonly callbacks: Callbacks;
  readonly kept: KeptOutputs | null;
  readonly rules: Rules | null;
  /** A pause for a person is a state of an attempt. */
  readonly state: "running" | "completed" | "error" | "stopped";
  readonly error: string | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
  /** Whether its crew was read as it runs, and its kept outputs are attempts. */
  readonly isPrepared: boolean;
  /** Until it has ended. One that is held was interrupted by a restart, and costs money. */
  readonly phase: "queued" | "running" | "waiting" | "held";
  /** Since when it waits for its turn, or waited for its last one. */
  readonly queuedAt: number;
}

export interface AttemptKey {
  readonly executionId: string;
  readonly taskIndex: number;
  readonly attempt: number;
}

/** The task index of a flow's parts: each is an attempt, and so is each run of a method in it. */
export const flowIndex = -1;

/** The unit that is repeated after a crash, and that a person decides about. */
export interface Attempt extends AttemptKey {
  readonly taskId: string;
  /**
   * `finishing`: approved, and what follows the review is under way; `refused`: then a guardrail refused it; `done`: finished
   * without a review; `stopped`: under way or waiting when a person stopped the execution.
   */
  readonly state:
    | "running"
    | "waiting"
    | "finishing"
    | "approved"
    | "refused"
    | "rejected"
    | "done"
    | "failed"
    | "stopped";
  readonly output: string | null;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly decidedAt: number | null;
  readonly shown: 0 | 1;
  /** Of a flow's method, the part that it ran in. */
  readonly part: number;
  readonly begins: number;
  readonly failures: number;
  readonly feedback: string | null;
  readonly review: Review | undefined;
}

export interface Review {
  /** While the attempt waits, and until what follows its approval is done. */
  readonly draft?: JsonObject;
  readonly usage?: TokenUsage;
  readonly refusal?: JsonObject;
  readonly pause?: FlowQuestion;
  readonly answer?: FeedbackAnswer;
}

export function isAccepted({ state }: Attempt): boolean {
  return state === "done" || state === "approved";
}

export interface Decision {
  /** Undefined if the feedback alone says what is meant, to a flow. */
  readonly isApprove: boolean | undefined;
  readonly feedback: string;
  readonly callbacks: Callbacks;
}

export interface ExecutionView {
  readonly execution: Execution;
  readonly attempts: readonly Attempt[];
}

/** How long it took (s), without the time before its first attempt, such as for its turn. */
export function tookSeconds({ execution, attempts: [first] }: ExecutionView): number {
  const { createdAt, endedAt } = execution;
  return Math.max(0, (endedAt ?? createdAt) - (first?.startedAt ?? createdAt)) / 1000;
}

/** Whether nothing of it runs yet, or it waits for its turn again. */
export function isQueued({ execution, attempts }: ExecutionView): boolean {
  const isUnderWay =
    execution.phase === "running" || attempts.some(({ state }) => state === "waiting");
  return execution.state === "running" && (attempts.length === 0 || !isUnderWay);
}

export interface ActivityView {
  /** In the shape of crewAI's event bus, in the order in which they came. */
  readonly events: readonly JsonObject[];
  /** By type, also of those that are no longer there. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface StatusView extends ExecutionView {
  readonly activity: ActivityView;
  readonly usage: TokenUsage;
  /** Of a queued execution, from 1; 0 while it starts. Undefined for others, and if too many come before it. */
  readonly place: number | undefined;
  readonly decisions: readonly AuditEntry[];
  readonly undelivered: readonly JsonObject[];
  readonly heldCall: HeldCall | undefined;
  readonly test: JsonObject | undefined;
}
