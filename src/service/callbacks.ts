import { randomUUID } from "node:crypto";
import type { JsonObject } from "../api/types.ts";
import { textAt } from "../base/json.ts";
import { fill } from "../projects/types.ts";
import { stableId, type Deliveries } from "./deliveries.ts";
import { seconds } from "./dialects.ts";
import { roleOf, type AgentStep, type EngineEvent } from "./engine.ts";
import type { TaskAttempt, TokenUsage } from "./engine.ts";
import type { Work } from "./database/database.ts";
import type { Events, StoredEvent } from "./events.ts";
import type { AttemptKey, CallbackKind, Callbacks, CallbackTarget, Execution } from "./model.ts";

/** Those that the service itself reports (vendor's webhook streaming guide); engines report more. */
type EventType =
  | `crew_kickoff_${"started" | "completed" | "failed"}`
  | `task_${"started" | "paused" | "completed" | "failed"}`
  | `human_feedback_${"requested" | "received"}`;

/** Events after which none follows until a person decides, or ever: a batch doesn't wait for more. */
const lastEvents: ReadonlySet<string> = new Set<EventType>([
  "human_feedback_requested",
  "crew_kickoff_completed",
  "crew_kickoff_failed",
]);

const crewStart = "crew_kickoff_started";

/** The type of the event that began what this one ends. */
function startOf(type: EventType): EventType | undefined {
  if (type === "human_feedback_received") return "human_feedback_requested";
  if (type.endsWith("_started") || type === "human_feedback_requested") return undefined;
  return type.startsWith("task_") ? "task_started" : crewStart;
}

type Subject = readonly (string | number)[];

export function subjectOf(key: AttemptKey): Subject {
  return [key.executionId, key.taskIndex, key.attempt];
}

/** IDs of all callbacks and events that can contain the output of a task that waits. */
export function outputCallbackIds(key: AttemptKey): string[] {
  const subject = subjectOf(key);
  return [stableId("human input", ...subject), eventId("human_feedback_requested", subject)];
}

function eventId(type: EventType, subject: Subject): string {
  return stableId("event", type, ...subject);
}

export type Reporter = ReturnType<typeof createReporter>;

function namesOf({ attempt }: AttemptKey, { task, agent, inputs }: TaskAttempt) {
  return { task_id: task.id, task_name: task.id, agent_role: roleOf(agent, inputs), attempt };
}

/** The last event of an execution: the same when it is stored with the end, and when its run sends it. Of a flow, crewAI reports the start of each part. */
export function endEvent(ended: Execution, output = ""): StoredEvent {
  const { id, project, state, error, endedAt } = ended;
  const hasCompleted = state === "completed";
  const type: EventType = hasCompleted ? "crew_kickoff_completed" : "crew_kickoff_failed";
  return {
    event_id: eventId(type, [id]),
    type,
    timestamp: new Date(endedAt ?? Date.now()).toISOString(),
    ...(project.kind === "flow" ? {} : { started_event_id: eventId(crewStart, [id]) }),
    crew_name: project.name,
    ...(hasCompleted ? { output } : { error: error ?? "The execution was stopped." }),
  };
}

/** Of this service only: a person let an execution continue that a restart had interrupted. */
export function continuedEvent(at: number): StoredEvent {
  const timestamp = new Date(at).toISOString();
  return { event_id: randomUUID(), type: "execution_continued", timestamp };
}

/**
 * Makes callbacks in the shapes of deployed crews. Their IDs are derived from what they report, so
 * a repeat after a crash sends nothing new.
 */
export function createReporter(
  { id: executionId, meta, ...execution }: Execution,
  deliveries: Deliveries,
  events: Events,
  now: () => number,
) {
  let { callbacks } = execution;
  const origin = { kickoff_id: executionId, meta };

  async function call(
    kind: CallbackKind,
    target: CallbackTarget | undefined,
    id: string,
    body: JsonObject,
  ): Promise<void> {
    if (target) await deliveries.add(id, executionId, kind, target, body);
  }

  /** Stores the event, and sends it if its type was requested (vendor's webhook streaming guide). */
  async function report(stored: StoredEvent): Promise<void> {
    await events.add(executionId, stored);
    const { stream } = callbacks;
    const { event_id: id, timestamp, type, ...data } = stored;
    const isLast = lastEvents.has(type);
    if (!stream || !(isLast || stream.events.includes(type))) return;
    const sent = stream.events.includes(type)
      ? { id, execution_id: executionId, timestamp, type, data }
      : undefined;
    if (stream.isBatched === true) await deliveries.batch(executionId, stream, sent, isLast);
    else if (sent) await call("events", stream, stableId("stream", id), { events: [sent] });
  }

  /** `at` in milliseconds since 1970: what is reported after a restart may have happened before it. */
  async function event(
    type: EventType,
    subject: Subject,
    data: JsonObject,
    at: number | null = now(),
  ): Promise<void> {
    const of = (start: EventType) => eventId(start, start === crewStart ? [executionId] : subject);
    const started = startOf(type);
    await report({
      event_id: eventId(type, subject),
      type,
      timestamp: new Date(at ?? now()).toISOString(),
      ...(type.startsWith("crew_kickoff_") ? {} : { parent_event_id: of(crewStart) }),
      ...(started && { started_event_id: of(started) }),
      ...data,
    });
  }

  return {
    report,
    event,

    /** Part of the change that stores a failure, so that the first status that shows it has its event. */
    addFailure: (ended: Execution): Work<void> => events.adding(executionId, endEvent(ended)),

    /** Part of the change that stores the end, so that the first status that shows it has its event and callback. */
    *addCompletion(ended: Execution, output: string, usage: TokenUsage): Work<void> {
      yield* events.adding(executionId, endEvent(ended, output));
      const { createdAt, endedAt } = ended;
      // Observed, but for the time: a client may learn of the end when the service has left.
      const body = {
        result: output,
        result_json: null,
        token_usage: { ...usage },
        execution_time: seconds(createdAt, endedAt ?? now()),
        ...origin,
      };
      const id = stableId("crew", executionId);
      if (callbacks.crew) yield* deliveries.adding(id, executionId, "crew", callbacks.crew, body);
    },

    /** What an engine reports as part of its own start of the task is part of the attempt. */
    engineEvents(key: AttemptKey, { task }: TaskAttempt): (event: EngineEvent) => Promise<void> {
      let taskStart: string | undefined;
      return async (engineEvent) => {
        const id = textAt(engineEvent, "event_id");
        if (engineEvent.type === "task_started") {
          taskStart ??= id;
          return;
        }
        const parent = textAt(engineEvent, "parent_event_id");
        // Newer versions of crewAI report on several threads: the task's start may come last.
        if (engineEvent.type === "agent_execution_started") taskStart ??= parent;
        await report({
          ...engineEvent,
          event_id: id ?? randomUUID(),
          // Older versions of crewAI report no IDs: then the times say what an event is part of.
          ...(id !== undefined && {
            parent_event_id:
              parent === undefined || parent === taskStart
                ? eventId("task_started", subjectOf(key))
                : parent,
          }),
          task_id: task.id,
          task_name: task.id,
          attempt: key.attempt,
        });
      };
    },

    replaceCallbacks(next: Callbacks): void {
      callbacks = next;
    },

    /** At the task's end, which is after its review. */
    async taskCompleted(
      key: AttemptKey,
      work: TaskAttempt,
      output: string,
      usage: TokenUsage | undefined,
      finishedAt: number | null,
    ): Promise<void> {
      const { task, agent, inputs } = work;
      const subject = subjectOf(key);
      const description = fill(task.description, inputs);
      // Observed; it has no task ID.
      await call("task", callbacks.task, stableId("task", ...subject), {
        description,
        name: task.id,
        expected_output: fill(task.expectedOutput, inputs),
        // The first ten words, as in crewAI's `TaskOutput.summary`.
        summary: `${description.trim().split(/\s+/).slice(0, 10).join(" ")}...`,
        agent: roleOf(agent, inputs),
        output,
        output_json: null,
        ...origin,
      });
      const data = { ...namesOf(key, work), output, ...(usage && { usage: { ...usage } }) };
      await event("task_completed", subject, data, finishedAt);
    },

    /** A task's attempt waits for a person. Its own event ends the work on the draft, which crewAI has no event for. */
    async taskPaused(
      key: AttemptKey,
      work: TaskAttempt,
      output: string,
      usage: TokenUsage | undefined,
      finishedAt: number | null,
    ): Promise<void> {
      const names = namesOf(key, work);
      const used = usage && { usage: { ...usage } };
      await event("task_paused", subjectOf(key), { ...names, ...used }, finishedAt);
      await this.waits(key, work.task.id, output, { ...names, output }, finishedAt);
    },

    /** A task or a flow's method waits for a person. */
    async waits(
      key: AttemptKey,
      taskId: string,
      output: string,
      data: JsonObject,
      finishedAt: number | null,
      question: JsonObject = {},
    ): Promise<void> {
      const subject = subjectOf(key);
      // Observed.
      await call("human_input", callbacks.humanInput, stableId("human input", ...subject), {
        execution_id: executionId,
        task_id: taskId,
        task_output: output,
        ...question,
        ...origin,
      });
      await event("human_feedback_requested", subject, data, finishedAt);
    },

    /** Observed. @param name distinguishes the steps of an attempt. If it begins again, its steps may be others, so they have other names */
    async step(key: AttemptKey, name: string, { toolInput, ...step }: AgentStep): Promise<void> {
      const body = { ...step, tool_input: toolInput, ...origin };
      await call("step", callbacks.step, stableId("step", ...subjectOf(key), name), body);
    },

    /** Reports the end after the change that stored it. */
    async completed(ended: Execution, output: string): Promise<void> {
      deliveries.announce();
      await report(endEvent(ended, output));
    },
  };
}
