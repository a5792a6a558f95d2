import type { JsonObject } from "../api/types.ts";
import { fill } from "../projects/render.ts";
import { stableId, type Deliveries } from "./deliveries.ts";
import { roleOf, type AgentStep, type TaskAttempt } from "./engine.ts";
import type { AttemptKey, Callbacks, CallbackTarget, Execution } from "./model.ts";

/** Event types of the vendor's webhook streaming guide that this service sends. Requests for others are ignored. */
type EventType =
  | "crew_kickoff_started"
  | "crew_kickoff_completed"
  | "crew_kickoff_failed"
  | "task_started"
  | "task_completed"
  | "task_failed"
  | "human_feedback_requested"
  | "human_feedback_received";

type Subject = readonly (string | number)[];

export function subjectOf(key: AttemptKey): Subject {
  return [key.executionId, key.taskIndex, key.attempt];
}

/** Ids of all callbacks that can contain the output of an attempt. */
export function outputCallbackIds(key: AttemptKey): string[] {
  const subject = subjectOf(key);
  return [
    stableId("task", ...subject),
    stableId("human input", ...subject),
    streamId(eventId("task_completed", subject)),
    streamId(eventId("human_feedback_requested", subject)),
  ];
}

function eventId(type: EventType, subject: Subject): string {
  return stableId("event", type, ...subject);
}

function streamId(event: string): string {
  return stableId("stream", event);
}

/**
 * Makes the callbacks of an execution, in the shapes of deployed crews. Their ids are derived from what they report, so a
 * repeat after a crash sends nothing new.
 */
export class Reporter {
  /** Those of the kickoff until the first resume, which replaces them. */
  callbacks: Callbacks;
  readonly #execution: Execution;
  readonly #deliveries: Deliveries;
  readonly #start: (id: string) => Promise<void>;

  /** `start` begins to send the delivery with this id, once. */
  constructor(execution: Execution, deliveries: Deliveries, start: (id: string) => Promise<void>) {
    this.callbacks = execution.callbacks;
    this.#execution = execution;
    this.#deliveries = deliveries;
    this.#start = start;
  }

  /** Reports the output of an attempt, and that it waits for a person if it does. */
  async taskCompleted(key: AttemptKey, work: TaskAttempt, output: string): Promise<void> {
    const { task, agent, inputs } = work;
    const subject = subjectOf(key);
    const description = fill(task.description, inputs);
    const role = roleOf(agent, inputs);
    // Observed; it has no task id.
    await this.#call(this.callbacks.task, stableId("task", ...subject), {
      description,
      name: task.id,
      expected_output: fill(task.expectedOutput, inputs),
      summary: summarise(description),
      agent: role,
      output,
      output_json: null,
      ...this.#origin,
    });
    const data = {
      task_id: task.id,
      task_name: task.id,
      agent_role: role,
      attempt: key.attempt,
      output,
    };
    await this.event("task_completed", subject, data);
    if (!task.humanInput) return;
    // Observed; both ids are the same.
    await this.#call(this.callbacks.humanInput, stableId("human input", ...subject), {
      execution_id: this.#execution.id,
      task_id: task.id,
      task_output: output,
      ...this.#origin,
    });
    await this.event("human_feedback_requested", subject, data);
  }

  /** Reports a thought or action (observed); `count` numbers those of an attempt. */
  async step(key: AttemptKey, count: number, step: AgentStep): Promise<void> {
    await this.#call(this.callbacks.step, stableId("step", ...subjectOf(key), count), {
      prompt: step.prompt,
      thought: step.thought,
      tool: step.tool,
      tool_input: step.toolInput,
      result: step.result,
      ...this.#origin,
    });
  }

  /** Reports that the execution completed (observed). A rehearsal uses no tokens. */
  async crewCompleted(output: string): Promise<void> {
    const { id, project } = this.#execution;
    await this.#call(this.callbacks.crew, stableId("crew", id), {
      result: output,
      result_json: null,
      token_usage: { total_tokens: 0, prompt_tokens: 0, completion_tokens: 0 },
      ...this.#origin,
    });
    await this.event("crew_kickoff_completed", [id], { crew_name: project.name, output });
  }

  /** Streams an event if its type was requested, as a batch of one (vendor's webhook streaming guide). */
  async event(type: EventType, subject: Subject, data: JsonObject): Promise<void> {
    const { stream } = this.callbacks;
    if (!stream?.events.includes(type)) return;
    const id = eventId(type, subject);
    const timestamp = new Date().toISOString();
    await this.#call(stream, streamId(id), {
      events: [{ id, execution_id: this.#execution.id, timestamp, type, data }],
    });
  }

  get #origin(): JsonObject {
    return { kickoff_id: this.#execution.id, meta: this.#execution.meta };
  }

  async #call(target: CallbackTarget | undefined, id: string, body: JsonObject): Promise<void> {
    if (!target) return;
    this.#deliveries.add(id, this.#execution.id, target, body);
    await this.#start(id);
  }
}

/** The first ten words, as in crewAI's `TaskOutput.summary`. */
function summarise(description: string): string {
  return `${description.trim().split(/\s+/).slice(0, 10).join(" ")}...`;
}
