import { setTimeout as sleep } from "node:timers/promises";
import { fill } from "../projects/render.ts";
import type { Engine, Note, TaskAttempt } from "./engine.ts";

/** The first line of every output of the rehearsal engine. */
export const rehearsalMark = "[REHEARSAL - no language model was called]";

/** In the rendered description of a task: this task fails, so that a failure can be rehearsed, too. */
const failureMark = "[rehearse failure]";

/** An engine without a model: answers with what an agent would have been given, the same for the same. `seconds` is how long a task takes. */
export function rehearsalEngine(seconds: number): Engine {
  return {
    name: "rehearsal",
    async run(attempt, onStep) {
      const description = fill(attempt.task.description, attempt.inputs).trim();
      await sleep(seconds * 1000);
      if (description.includes(failureMark))
        throw new Error(
          `The task "${attempt.task.id}" was told to fail by "${failureMark}" in its description.`,
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
    `Agent: ${agent ? fill(agent.role, inputs).trim() : "none"}`,
    `Task: ${description}`,
    `Expected output: ${fill(task.expectedOutput, inputs).trim()}`,
    `Attempt: ${attempt}`,
    `Earlier outputs: ${earlier.length}`,
  ];
  const said = notes.filter((note) => note.feedback.trim() !== "");
  if (said.length > 0) lines.push("Feedback:", ...said.map(describe));
  return lines.join("\n");
}

function describe(note: Note): string {
  const verdict = note.isApprove ? "approved" : "rejected";
  return `- ${note.taskId}, attempt ${note.attempt}, ${verdict}: ${note.feedback.trim().replaceAll("\n", "\n  ")}`;
}
