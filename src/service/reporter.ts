import type { JsonObject } from "../api/types.ts";
import type { AgentStep, TaskAttempt } from "./engine.ts";
import { stableId, type DeliveryStore } from "./deliveries.ts";
import type { AttemptKey, Callbacks, CallbackTarget, Execution } from "./model.ts";
import { crewPayload, eventPayload, humanInputPayload, roleOf, stepPayload, taskPayload } from "./payloads.ts";

/** The event types this service has, of those of the vendor's webhook streaming guide. Others may be asked for and never come. */
export type EventType =
  | "crew_kickoff_started"
  | "crew_kickoff_completed"
  | "crew_kickoff_failed"
  | "task_started"
  | "task_completed"
  | "task_failed"
  | "human_feedback_requested"
  | "human_feedback_received";

/** Hands callbacks to the deliveries. Each has an id made from what it tells, so that telling it again after a crash sends nothing new. */
export class Reporter {
  readonly #deliveries: DeliveryStore;
  readonly #send: (id: string) => Promise<void>;

  /** `send` begins the durable sending of the delivery with the id given; asked again it changes nothing. */
  constructor(deliveries: DeliveryStore, send: (id: string) => Promise<void>) {
    this.#deliveries = deliveries;
    this.#send = send;
  }

  /** Tells that an attempt has an output, and that it waits for a person if it does. */
  async taskCompleted(execution: Execution, callbacks: Callbacks, key: AttemptKey, work: TaskAttempt, output: string): Promise<void> {
    const about = [execution.id, key.taskIndex, key.attempt];
    await this.#call(execution, callbacks.task, ["task", ...about], taskPayload(execution, work, output));
    const data = { task_id: work.task.id, task_name: work.task.id, agent_role: roleOf(work), attempt: key.attempt };
    await this.event(execution, callbacks, "task_completed", about, { ...data, output });
    if (!work.task.humanInput) return;
    await this.#call(execution, callbacks.humanInput, ["human input", ...about], humanInputPayload(execution, work.task.id, output));
    await this.event(execution, callbacks, "human_feedback_requested", about, { ...data, output });
  }

  /** Tells of one thought or action; `count` numbers those of an attempt. */
  async step(execution: Execution, callbacks: Callbacks, key: AttemptKey, count: number, step: AgentStep): Promise<void> {
    await this.#call(execution, callbacks.step, ["step", execution.id, key.taskIndex, key.attempt, count], stepPayload(execution, step));
  }

  /** Tells that an execution completed. */
  async crewCompleted(execution: Execution, callbacks: Callbacks, output: string): Promise<void> {
    await this.#call(execution, callbacks.crew, ["crew", execution.id], crewPayload(execution, output));
    await this.event(execution, callbacks, "crew_kickoff_completed", [execution.id], { crew_name: execution.project.name, output });
  }

  /** Tells a stream of an event, if it asked for that type. `about` makes its id. */
  async event(execution: Execution, { stream }: Callbacks, type: EventType, about: readonly (string | number)[], data: JsonObject): Promise<void> {
    if (!stream?.events.includes(type)) return;
    const id = stableId("event", type, ...about);
    await this.#call(execution, stream, ["stream", id], eventPayload(execution, { id, type, timestamp: Date.now(), data }));
  }

  async #call(execution: Execution, target: CallbackTarget | undefined, about: readonly (string | number)[], body: JsonObject): Promise<void> {
    if (!target) return;
    const id = stableId(...about);
    this.#deliveries.add(id, execution.id, target, body);
    await this.#send(id);
  }
}
