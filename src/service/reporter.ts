import type { JsonObject } from "../api/types.ts";
import type { AgentStep, TaskAttempt } from "./engine.ts";
import { stableId, type DeliveryStore } from "./deliveries.ts";
import type { AttemptKey, Callbacks, CallbackTarget, Execution } from "./model.ts";
import {
  crewPayload,
  eventPayload,
  humanInputPayload,
  roleOf,
  stepPayload,
  taskPayload,
} from "./payloads.ts";

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

/** Ids of the callbacks that tell the output of an attempt, whichever of them were asked for. */
export function outputCallbackIds(key: AttemptKey): string[] {
  const about = [key.executionId, key.taskIndex, key.attempt];
  const events = (["task_completed", "human_feedback_requested"] as const).map((type) =>
    streamId(eventId(type, about)),
  );
  return [stableId("task", ...about), stableId("human input", ...about), ...events];
}

function eventId(type: EventType, about: readonly (string | number)[]): string {
  return stableId("event", type, ...about);
}

function streamId(event: string): string {
  return stableId("stream", event);
}

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
  async taskCompleted(
    execution: Execution,
    callbacks: Callbacks,
    key: AttemptKey,
    work: TaskAttempt,
    output: string,
  ): Promise<void> {
    const about = [execution.id, key.taskIndex, key.attempt];
    await this.#call(
      execution,
      callbacks.task,
      stableId("task", ...about),
      taskPayload(execution, work, output),
    );
    const data = {
      task_id: work.task.id,
      task_name: work.task.id,
      agent_role: roleOf(work),
      attempt: key.attempt,
    };
    await this.event(execution, callbacks, "task_completed", about, { ...data, output });
    if (!work.task.humanInput) return;
    await this.#call(
      execution,
      callbacks.humanInput,
      stableId("human input", ...about),
      humanInputPayload(execution, work.task.id, output),
    );
    await this.event(execution, callbacks, "human_feedback_requested", about, { ...data, output });
  }

  /** Tells of one thought or action; `count` numbers those of an attempt. */
  async step(
    execution: Execution,
    callbacks: Callbacks,
    key: AttemptKey,
    count: number,
    step: AgentStep,
  ): Promise<void> {
    await this.#call(
      execution,
      callbacks.step,
      stableId("step", execution.id, key.taskIndex, key.attempt, count),
      stepPayload(execution, step),
    );
  }

  /** Tells that an execution completed. */
  async crewCompleted(execution: Execution, callbacks: Callbacks, output: string): Promise<void> {
    await this.#call(
      execution,
      callbacks.crew,
      stableId("crew", execution.id),
      crewPayload(execution, output),
    );
    await this.event(execution, callbacks, "crew_kickoff_completed", [execution.id], {
      crew_name: execution.project.name,
      output,
    });
  }

  /** Tells a stream of an event, if it asked for that type. `about` makes its id. */
  async event(
    execution: Execution,
    { stream }: Callbacks,
    type: EventType,
    about: readonly (string | number)[],
    data: JsonObject,
  ): Promise<void> {
    if (!stream?.events.includes(type)) return;
    const id = eventId(type, about);
    await this.#call(
      execution,
      stream,
      streamId(id),
      eventPayload(execution, { id, type, timestamp: Date.now(), data }),
    );
  }

  async #call(
    execution: Execution,
    target: CallbackTarget | undefined,
    id: string,
    body: JsonObject,
  ): Promise<void> {
    if (!target) return;
    this.#deliveries.add(id, execution.id, target, body);
    await this.#send(id);
  }
}
