import type { JsonObject } from "../api/types.ts";
import type { CrewProject } from "../projects/types.ts";

/** Which of the two tokens a request carried (specification, Authentication). */
export type TokenType = "bearer" | "userBearer";

/** One address to call back. */
export interface CallbackTarget {
  readonly url: string;
  /** The value of the Authorization header that the receiver asked for. */
  readonly authorization?: string;
}

/** Event streaming: which event types go to which address. */
export interface StreamTarget extends CallbackTarget {
  readonly events: readonly string[];
}

/** Where an execution reports to. Those of the kickoff hold until a resume, which replaces all of them (specification). */
export interface Callbacks {
  readonly task?: CallbackTarget;
  readonly step?: CallbackTarget;
  readonly crew?: CallbackTarget;
  readonly humanInput?: CallbackTarget;
  readonly stream?: StreamTarget;
}

/** How far an execution is. A pause for a person is a state of an attempt, not of the execution. */
export type ExecutionState = "running" | "completed" | "error";

/** One execution as it is stored. The project is the copy made at kickoff, so that an edited crew does not disturb it. */
export interface Execution {
  readonly id: string;
  readonly owner: TokenType;
  readonly project: CrewProject;
  readonly inputs: JsonObject;
  readonly meta: JsonObject | null;
  readonly callbacks: Callbacks;
  readonly state: ExecutionState;
  readonly error: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly endedAt: number | null;
}

/** `done` is the end of a task that no person looks at; `approved` and `rejected` are decisions about one that waited. */
export type AttemptState = "running" | "waiting" | "approved" | "rejected" | "done" | "failed";

/** One attempt at one task: the unit that is repeated after a crash, and the one a person decides about. */
export interface Attempt {
  readonly executionId: string;
  /** Place of the task in the project, from 0. */
  readonly taskIndex: number;
  readonly taskId: string;
  /** From 1. */
  readonly attempt: number;
  readonly state: AttemptState;
  readonly output: string | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly feedback: string | null;
  readonly decidedAt: number | null;
}

/** What a person decided about the output of one attempt. */
export interface Decision {
  readonly isApprove: boolean;
  readonly feedback: string;
  readonly callbacks: Callbacks;
}

/** An execution with all its attempts, in order of task and attempt. */
export interface ExecutionView {
  readonly execution: Execution;
  readonly attempts: readonly Attempt[];
}

/** Names one attempt. */
export interface AttemptKey {
  readonly executionId: string;
  readonly taskIndex: number;
  readonly attempt: number;
}
