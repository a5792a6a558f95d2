import type { JsonObject } from "../api/types.ts";
import type { CrewProject } from "../projects/types.ts";
import type { TokenUsage } from "./engine.ts";

/** Specification, Authentication. */
export type TokenType = "bearer" | "userBearer";

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
        /** Events are sent in groups. */
        readonly isBatched?: boolean;
      })
    | undefined;
}

/** What an execution that runs again from a task keeps of an earlier one. */
export interface KeptOutputs {
  /** The first task that runs. */
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
  readonly owner: TokenType;
  readonly project: CrewProject;
  readonly inputs: JsonObject;
  readonly meta: JsonObject | null;
  readonly callbacks: Callbacks;
  /** Null if it runs from the beginning. */
  readonly kept: KeptOutputs | null;
  /** A pause for a person is a state of an attempt. */
  readonly state: "running" | "completed" | "error" | "stopped";
  readonly error: string | null;
  /** ms since 1970. */
  readonly createdAt: number;
  readonly endedAt: number | null;
}

export interface AttemptKey {
  readonly executionId: string;
  readonly taskIndex: number;
  readonly attempt: number;
}

/** The unit that is repeated after a crash, and that a person decides about. */
export interface Attempt extends AttemptKey {
  readonly taskId: string;
  /** `done`: finished without a review; `stopped`: under way or waiting when a person stopped the execution. */
  readonly state: "running" | "waiting" | "approved" | "rejected" | "done" | "failed" | "stopped";
  readonly output: string | null;
  /** ms since 1970. */
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly decidedAt: number | null;
}

export interface Decision {
  readonly isApprove: boolean;
  readonly feedback: string;
  readonly callbacks: Callbacks;
}

export interface ExecutionView {
  readonly execution: Execution;
  readonly attempts: readonly Attempt[];
  /** Also before its first attempt begins. */
  readonly isQueued: boolean;
}

/** What happened in an execution. */
export interface ActivityView {
  /** In the shape of crewAI's event bus, in the order in which they came. */
  readonly events: readonly JsonObject[];
  /** By type, also of those that are no longer there. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Of one that a client asks for. */
export interface StatusView extends ExecutionView {
  readonly activity: ActivityView;
  readonly usage: TokenUsage;
}
