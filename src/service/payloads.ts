import type { JsonObject, JsonValue } from "../api/types.ts";
import { fill } from "../projects/render.ts";
import type { AgentStep, TaskAttempt } from "./engine.ts";
import type { Execution } from "./model.ts";

/** Bodies of the callbacks, in the shapes seen from deployed crews. */

/** After a task has an output (observed; there is no task id in it). */
export function taskPayload(execution: Execution, work: TaskAttempt, output: string): JsonObject {
  const description = fill(work.task.description, work.inputs);
  return {
    description,
    name: work.task.id,
    expected_output: fill(work.task.expectedOutput, work.inputs),
    summary: summarise(description),
    agent: roleOf(work),
    output,
    output_json: null,
    ...origin(execution),
  };
}

/** After a thought or action of an agent (observed). */
export function stepPayload(execution: Execution, step: AgentStep): JsonObject {
  return {
    prompt: step.prompt,
    thought: step.thought,
    tool: step.tool,
    tool_input: step.toolInput,
    result: step.result,
    ...origin(execution),
  };
}

/** After an execution completed (observed). No model was called by a rehearsal, so no tokens were used. */
export function crewPayload(execution: Execution, output: string): JsonObject {
  return {
    result: output,
    result_json: null,
    token_usage: { total_tokens: 0, prompt_tokens: 0, completion_tokens: 0 },
    ...origin(execution),
  };
}

/** When a task waits for a person (observed; `execution_id` and `kickoff_id` are the same id). */
export function humanInputPayload(
  execution: Execution,
  taskId: string,
  output: string,
): JsonObject {
  return { execution_id: execution.id, task_id: taskId, task_output: output, ...origin(execution) };
}

/** One event of the event streaming (vendor's webhook streaming guide), as a batch of one. `id` stays the same when it is sent again. */
export function eventPayload(
  execution: Execution,
  event: { id: string; type: string; timestamp: number; data: JsonObject },
): JsonObject {
  const timestamp = new Date(event.timestamp).toISOString();
  return {
    events: [
      { id: event.id, execution_id: execution.id, timestamp, type: event.type, data: event.data },
    ],
  };
}

/** Role of the agent that works on a task, as text for people. */
export function roleOf({ agent, inputs }: Pick<TaskAttempt, "agent" | "inputs">): string {
  return agent ? fill(agent.role, inputs).trim() : "";
}

function origin(execution: Execution): { kickoff_id: string; meta: JsonValue } {
  return { kickoff_id: execution.id, meta: execution.meta };
}

/** The first ten words, as crewAI's `TaskOutput.summary` has them. */
function summarise(description: string): string {
  return `${description.trim().split(/\s+/).slice(0, 10).join(" ")}...`;
}
