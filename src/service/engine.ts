import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../api/types.ts";
import { fill, type ProjectAgent, type ProjectTask } from "../projects/types.ts";

/** Context for every later attempt (specification, `human_feedback`). */
export interface Note {
  readonly taskId: string;
  readonly attempt: number;
  readonly isApprove: boolean;
  readonly feedback: string;
}

export interface TaskAttempt {
  readonly task: ProjectTask;
  readonly agent: ProjectAgent | undefined;
  readonly inputs: JsonObject;
  readonly earlier: readonly { readonly taskId: string; readonly output: string }[];
  readonly notes: readonly Note[];
  readonly attempt: number;
}

/** A thought or action (specification, `stepWebhookUrl`). */
export interface AgentStep {
  readonly prompt: string;
  readonly thought: string;
  readonly tool: string | null;
  readonly toolInput: string | null;
  readonly result: string;
}

/** Turns an attempt into an output; order, pauses and callbacks are the service's. */
export interface Engine {
  readonly name: string;
  /** Rejects if the task failed. May be called again for the same attempt after a crash. */
  run(attempt: TaskAttempt, onStep: (step: AgentStep) => Promise<void>): Promise<string>;
}

export function roleOf(agent: ProjectAgent | undefined, inputs: JsonObject): string {
  return agent ? fill(agent.role, inputs).trim() : "";
}

export const rehearsalMark = "[REHEARSAL - no language model was called]";

/** A task fails if its description contains it. */
const failureMark = "[rehearse failure]";

/** Repeats what an agent would be given. */
export function rehearsalEngine(seconds: number): Engine {
  return {
    name: "rehearsal",
    async run(attempt, onStep) {
      const description = fill(attempt.task.description, attempt.inputs).trim();
      await sleep(seconds * 1000);
      if (description.includes(failureMark))
        throw new Error(
          `The task "${attempt.task.id}" failed because its description contains "${failureMark}".`,
        );
      const output = rehearse(attempt, description);
      await onStep({
        prompt: description,
        thought: `${rehearsalMark} The answer repeats the task.`,
        tool: null,
        toolInput: null,
        result: output,
      });
      return output;
    },
  };
}

function rehearse(
  { task, agent, inputs, earlier, notes, attempt }: TaskAttempt,
  description: string,
): string {
  const lines = [
    rehearsalMark,
    "",
    `Agent: ${agent ? roleOf(agent, inputs) : "none"}`,
    `Task: ${description}`,
    `Expected output: ${fill(task.expectedOutput, inputs).trim()}`,
    `Attempt: ${attempt}`,
    `Earlier outputs: ${earlier.length}`,
  ];
  const given = notes.filter((note) => note.feedback.trim() !== "");
  if (given.length > 0) lines.push("Feedback:");
  for (const { taskId, attempt, isApprove, feedback } of given) {
    const verdict = isApprove ? "approved" : "rejected";
    const text = feedback.trim().replaceAll("\n", "\n  ");
    lines.push(`- ${taskId}, attempt ${attempt}, ${verdict}: ${text}`);
  }
  return lines.join("\n");
}
