import type { JsonObject } from "../api/types.ts";
import type { ProjectAgent, ProjectTask } from "../projects/types.ts";

/** The output of an earlier task. */
export interface EarlierOutput {
  readonly taskId: string;
  readonly output: string;
}

/** What a person said of an output; context for every task attempt after it (specification, `human_feedback`). */
export interface Note {
  readonly taskId: string;
  readonly attempt: number;
  readonly isApprove: boolean;
  readonly feedback: string;
}

/** One attempt at one task, with all that an engine may know. */
export interface TaskAttempt {
  readonly task: ProjectTask;
  readonly agent: ProjectAgent | undefined;
  readonly inputs: JsonObject;
  /** Outputs of the tasks that this one sees, in their order. */
  readonly earlier: readonly EarlierOutput[];
  readonly notes: readonly Note[];
  readonly attempt: number;
}

/** One thought or action of an agent (specification, `stepWebhookUrl`). */
export interface AgentStep {
  readonly prompt: string;
  readonly thought: string;
  readonly tool: string | null;
  readonly toolInput: string | null;
  readonly result: string;
}

/** Turns one attempt at one task into one output. Order, pauses, feedback, retries and callbacks are the service's. */
export interface Engine {
  readonly name: string;
  /**
   * Works through the attempt and resolves to its output. `onStep` hears of each thought or action.
   * May be asked again for the same attempt after a crash. Rejects when the task failed.
   */
  run(attempt: TaskAttempt, onStep: (step: AgentStep) => Promise<void>): Promise<string>;
}
