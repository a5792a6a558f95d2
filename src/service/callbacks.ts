import { randomUUID } from "node:crypto";
import type { JsonObject } from "../api/types.ts";
import { textAt } from "../base/json.ts";
import type { ProjectTask } from "../projects/types.ts";
import { eventsId, stableId, type Deliveries } from "./deliveries.ts";
import { fill, roleOf, type AgentStep, type EngineEvent, type TokenUsage } from "./engine.ts";
import type { Work } from "./database/database.ts";
import { addEvent, type StoredEvent } from "./events.ts";
import {
  tookSeconds,
  type AttemptKey,
  type CallbackKind,
  type CallbackTarget,
  type Execution,
  type ExecutionView,
} from "./model.ts";
import { pendingOf, textOf, type Answer, type HeldCall } from "./questions.ts";

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

function startOf(type: EventType): EventType | undefined {
  if (type === "human_feedback_received") return "human_feedback_requested";
  if (type.endsWith("_started") || type === "human_feedback_requested") return undefined;
  return type.startsWith("task_") ? "task_started" : crewStart;
}

type Subject = readonly (string | number)[];

export function subjectOf(key: AttemptKey): Subject {
  return [key.executionId, key.taskIndex, key.attempt];
}

export function mayHaveArrived(key: AttemptKey, deliveries: Deliveries): Promise<boolean> {
  const subject = subjectOf(key);
  return deliveries.mayHaveArrived(
    stableId("human input", ...subject),
    eventsId(key.executionId, eventId("human_feedback_requested", subject)),
  );
}

function eventId(type: EventType, subject: Subject): string {
  return stableId("event", type, ...subject);
}

/** The last event of an execution. Of a flow, crewAI reports the start of each part. */
function endEvent(ended: Execution, output = ""): StoredEvent {
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
 * Makes events and callbacks in the shapes of deployed crews, each as part of the change that it reports, which has locked the
 * execution. Their IDs are derived from what they report, so a repeat after a crash sends nothing new.
 * @param now ms since 1970
 */
export function createReporter(
  { id: executionId, meta, project, inputs, callbacks, rules }: Execution,
  deliveries: Deliveries,
  now: () => number,
) {
  const origin = { kickoff_id: executionId, meta };

  function* call(
    kind: CallbackKind,
    target: CallbackTarget | undefined,
    id: string,
    body: JsonObject,
  ): Work<void> {
    if (target) yield* deliveries.add(id, executionId, kind, target, body);
  }

  /** Stores the event, and sends it if its type was requested (vendor's webhook streaming guide). */
  function* report(stored: StoredEvent): Work<void> {
    const isNew = yield* addEvent(executionId, stored);
    const { stream } = callbacks;
    const { event_id: id, timestamp, type, ...data } = stored;
    const isLast = lastEvents.has(type);
    const isSent = stream?.events.includes(type);
    if (!isNew || !stream || !(isLast || isSent)) return;
    const sent = isSent ? { id, execution_id: executionId, timestamp, type, data } : undefined;
    yield* deliveries.stream(executionId, stream, sent, isLast);
  }

  function* event(type: EventType, subject: Subject, data: JsonObject): Work<void> {
    const of = (start: EventType) => eventId(start, start === crewStart ? [executionId] : subject);
    const started = startOf(type);
    yield* report({
      event_id: eventId(type, subject),
      type,
      timestamp: new Date(now()).toISOString(),
      ...(type.startsWith("crew_kickoff_") ? {} : { parent_event_id: of(crewStart) }),
      ...(started && { started_event_id: of(started) }),
      ...data,
    });
  }

  function taskOf({ taskIndex }: AttemptKey): ProjectTask {
    const task = project.tasks[taskIndex];
    if (!task) throw new Error(`The execution ${executionId} has no task ${taskIndex}.`);
    return task;
  }

  function namesOf(key: AttemptKey) {
    const { id } = taskOf(key);
    return { task_id: id, task_name: id, attempt: key.attempt };
  }

  function roleFor(task: ProjectTask): string {
    return roleOf(
      project.agents.find(({ name }) => name === task.agent),
      inputs,
    );
  }

  return {
    report,

    *taskStarted(key: AttemptKey, isFirst: boolean): Work<void> {
      if (isFirst) yield* event("crew_kickoff_started", [executionId], { crew_name: project.name });
      yield* event("task_started", subjectOf(key), namesOf(key));
    },

    /** Of the engine, which reports its own start of the task as part of the attempt. */
    engineEvents(key: AttemptKey): (event: EngineEvent) => () => Work<void> {
      let taskStart: string | undefined;
      return (engineEvent) => {
        const id = textAt(engineEvent, "event_id");
        // Once, because the change may be made again.
        const event_id = id ?? randomUUID();
        return function* () {
          if (engineEvent.type === "task_started") {
            taskStart ??= id;
            return;
          }
          const parent = textAt(engineEvent, "parent_event_id");
          // Newer versions of crewAI report on several threads: the task's start may come last.
          if (engineEvent.type === "agent_execution_started") taskStart ??= parent;
          yield* report({
            ...engineEvent,
            event_id,
            // Older versions of crewAI report no IDs: then the times say what an event is part of.
            ...(id !== undefined && {
              parent_event_id:
                parent === undefined || parent === taskStart
                  ? eventId("task_started", subjectOf(key))
                  : parent,
            }),
            ...namesOf(key),
          });
        };
      };
    },

    /** At the task's end, which is after its review. */
    *taskCompleted(key: AttemptKey, output: string, usage?: TokenUsage): Work<void> {
      const task = taskOf(key);
      const subject = subjectOf(key);
      const description = fill(task.description, inputs);
      // Observed; it has no task ID.
      yield* call("task", callbacks.task, stableId("task", ...subject), {
        description,
        name: task.id,
        expected_output: fill(task.expectedOutput, inputs),
        // The first ten words, as in crewAI's `TaskOutput.summary`.
        summary: `${description.trim().split(/\s+/).slice(0, 10).join(" ")}...`,
        agent: roleFor(task),
        output,
        output_json: null,
        ...origin,
      });
      yield* event("task_completed", subject, {
        ...namesOf(key),
        agent_role: roleFor(task),
        output,
        ...(usage && { usage: { ...usage } }),
      });
    },

    /** A task's attempt waits for a person. Its own event ends the work on the draft, which crewAI has no event for. */
    *taskPaused(key: AttemptKey, output: string, usage?: TokenUsage): Work<void> {
      const names = { ...namesOf(key), agent_role: roleFor(taskOf(key)) };
      const used = usage && { usage: { ...usage } };
      yield* event("task_paused", subjectOf(key), { ...names, ...used });
      yield* this.waits(key, output, { ...names, output });
    },

    *waits(
      key: AttemptKey,
      output: string,
      data: JsonObject,
      question: JsonObject = {},
    ): Work<void> {
      const subject = subjectOf(key);
      // Observed.
      yield* call("human_input", callbacks.humanInput, stableId("human input", ...subject), {
        execution_id: executionId,
        task_id: taskOf(key).id,
        task_output: output,
        ...question,
        ...origin,
      });
      yield* event("human_feedback_requested", subject, data);
    },

    /** @param isApprove undefined where only crewAI will know @param more of a flow's answer */
    *decided(
      key: AttemptKey,
      isApprove: boolean | undefined,
      feedback: string,
      more: JsonObject = {},
    ): Work<void> {
      yield* event("human_feedback_received", subjectOf(key), {
        ...namesOf(key),
        ...(isApprove !== undefined && { is_approve: isApprove }),
        feedback,
        ...more,
      });
    },

    *asks(held: HeldCall): Work<void> {
      const { callId, taskId, attempt } = held;
      const output = textOf(held);
      yield* call("human_input", callbacks.humanInput, stableId("call", executionId, callId), {
        execution_id: executionId,
        task_id: callId,
        task_output: output,
        ...pendingOf(held, rules),
        ...origin,
      });
      const names = taskId !== "" && { task_id: taskId, task_name: taskId, attempt };
      yield* event("human_feedback_requested", [executionId, callId], { ...names, output });
    },

    *answered({ callId, taskId, attempt }: HeldCall, answer: Answer): Work<void> {
      const names = taskId !== "" && { task_id: taskId, task_name: taskId, attempt };
      const said = { is_approve: answer.isApprove, feedback: answer.words };
      yield* event("human_feedback_received", [executionId, callId], { ...names, ...said });
    },

    *taskFailed(key: AttemptKey, error: string): Work<void> {
      yield* event("task_failed", subjectOf(key), { ...namesOf(key), error });
    },

    /** Observed. @param name distinguishes the steps of an attempt. If it begins again, its steps may be others, so they have other names */
    *step(key: AttemptKey, name: string, { toolInput, ...step }: AgentStep): Work<void> {
      const body = { ...step, tool_input: toolInput, ...origin };
      yield* call("step", callbacks.step, stableId("step", ...subjectOf(key), name), body);
    },

    *failed(ended: Execution): Work<void> {
      yield* report(endEvent(ended));
      yield* deliveries.addSpans(executionId);
    },

    *completed(view: ExecutionView, output: string, usage: TokenUsage): Work<void> {
      // Observed, but for the time: a client may learn of the end when the service has left.
      yield* call("crew", callbacks.crew, stableId("crew", executionId), {
        result: output,
        result_json: null,
        token_usage: { ...usage },
        execution_time: tookSeconds(view),
        ...origin,
      });
      yield* report(endEvent(view.execution, output));
      yield* deliveries.addSpans(executionId);
    },
  };
}
