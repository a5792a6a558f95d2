import { createHash, randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "../api/types.ts";
import { asArray, asObject, parseJson, textAt } from "../base/json.ts";
import { optionalText, transaction } from "../base/sqlite.ts";
import { fill } from "../projects/types.ts";
import { roleOf, type AgentStep, type EngineEvent } from "./engine.ts";
import type { TaskAttempt, TokenUsage } from "./engine.ts";
import { messageOf } from "./errors.ts";
import type { Events, StoredEvent } from "./events.ts";
import { markForErasure } from "./store.ts";
import type { AttemptKey, Callbacks, CallbackTarget, Execution } from "./model.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS deliveries (
    id TEXT PRIMARY KEY, execution_id TEXT NOT NULL REFERENCES executions, url TEXT NOT NULL, authorization TEXT,
    body TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'pending', failures INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE IF NOT EXISTS batched_events (
    id TEXT PRIMARY KEY, execution_id TEXT NOT NULL REFERENCES executions, event TEXT NOT NULL, delivery_id TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS batched_events_of_execution ON batched_events (execution_id);
`;

/** How many events a callback has if the kickoff asks for batches (observed). */
const batchSize = 4;

interface StreamEvent extends JsonObject {
  readonly id: string;
}

function eventIds(body: string): string[] {
  return asArray(asObject(parseJson(body))["events"]).flatMap(
    (event) => textAt(asObject(event), "id") ?? [],
  );
}

/** The last attempt is about 2.5 hours after the first (5 s, doubled up to an hour). */
export const callbackAttempts = 12;

export type Deliveries = ReturnType<typeof createDeliveries>;

/** Callbacks in SQLite. After the last attempt, body, address and credentials are deleted. */
export function createDeliveries(
  database: DatabaseSync,
  log: (line: string) => void,
  onSend: (id: string) => void,
  timeoutMs: number,
) {
  database.exec(schema);
  const add = database.prepare(
    "INSERT OR IGNORE INTO deliveries (id, execution_id, url, authorization, body) VALUES (?, ?, ?, ?, ?)",
  );
  const find = database.prepare("SELECT * FROM deliveries WHERE id = ? AND state = 'pending'");
  const countFailure = database.prepare(
    "UPDATE deliveries SET failures = failures + 1 WHERE id = ? RETURNING failures",
  );
  const settle = database.prepare(
    "UPDATE deliveries SET state = ?, url = '', body = '', authorization = NULL WHERE id = ? AND state = 'pending'",
  );
  const addEvent = database.prepare(
    "INSERT OR IGNORE INTO batched_events (id, execution_id, event) VALUES (?, ?, ?)",
  );
  const waitingEvents = database.prepare(
    "SELECT id, event FROM batched_events WHERE execution_id = ? AND delivery_id IS NULL ORDER BY rowid",
  );
  const endBatch = database.prepare(
    "UPDATE batched_events SET delivery_id = ?, event = '' WHERE execution_id = ? AND delivery_id IS NULL",
  );
  const batchOf = database.prepare("SELECT delivery_id FROM batched_events WHERE id = ?");
  const lastBatch = database.prepare(
    "SELECT delivery_id FROM batched_events WHERE execution_id = ? ORDER BY rowid DESC LIMIT 1",
  );
  return {
    add(id: string, executionId: string, target: CallbackTarget, body: JsonObject): void {
      const { url, authorization = null } = target;
      add.run(id, executionId, url, authorization, JSON.stringify(body));
    },

    /**
     * Adds an event, if there is one, to those of its execution that wait. Returns the ID of the delivery that has it,
     * which is made when four wait or if `isLast`. A repeat returns the same ID.
     */
    batch(
      executionId: string,
      target: CallbackTarget,
      event: StreamEvent | undefined,
      isLast: boolean,
    ) {
      return transaction(database, () => {
        if (event) addEvent.run(event.id, executionId, JSON.stringify(event));
        const waiting = waitingEvents.all(executionId);
        const [first] = waiting;
        if (first && (isLast || waiting.length >= batchSize)) {
          const id = stableId("batch", String(first["id"]));
          const events = waiting.map((row) => JSON.parse(String(row["event"])) as JsonObject);
          this.add(id, executionId, target, { events });
          endBatch.run(id, executionId);
        }
        const row = event ? batchOf.get(event.id) : lastBatch.get(executionId);
        return optionalText(row ?? { delivery_id: null }, "delivery_id");
      });
    },

    /** Makes one attempt. Rejects if another one is needed later. */
    async send(id: string): Promise<void> {
      const row = find.get(id);
      if (!row) return;
      const settleAs = (state: string) =>
        transaction(database, () => {
          if (row["authorization"] !== null) markForErasure(database);
          settle.run(state, id);
        });
      for (const shown of [id, ...eventIds(String(row["body"]))]) onSend(shown);
      const url = String(row["url"]);
      try {
        await post(url, headersOf(id, row["authorization"]), String(row["body"]), timeoutMs);
      } catch (error) {
        if (Number(countFailure.get(id)?.["failures"]) < callbackAttempts) throw error;
        settleAs("given up");
        // The path may be a secret.
        const { origin } = new URL(url);
        log(
          `A callback of execution ${String(row["execution_id"])} to ${origin} was given up after ${callbackAttempts} attempts: ${messageOf(error)}`,
        );
        return;
      }
      settleAs("sent");
    },
  };
}

async function post(url: string, headers: Headers, body: string, timeoutMs: number): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers,
    body,
    // A redirect would send outputs and credentials to another address.
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The receiver answered ${response.status}.`);
}

function headersOf(id: string, authorization: unknown): Headers {
  const headers = new Headers({
    "Content-Type": "application/json",
    "User-Agent": "crewdeck",
    "Webhook-Id": id,
  });
  try {
    if (typeof authorization === "string") headers.set("Authorization", authorization);
  } catch {
    // Node's error, which would be stored and logged, quotes the credentials.
    throw new Error(
      "The credentials of this callback can't be sent: a header can't contain one of their characters.",
    );
  }
  return headers;
}

/** Those that the service itself reports (vendor's webhook streaming guide); engines report more. */
type EventType =
  | `crew_kickoff_${"started" | "completed" | "failed"}`
  | `task_${"started" | "completed" | "failed"}`
  | `human_feedback_${"requested" | "received"}`;

/** After these, nothing follows for some time, or ever. */
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

export type Subject = readonly (string | number)[];

export function subjectOf(key: AttemptKey): Subject {
  return [key.executionId, key.taskIndex, key.attempt];
}

/** The same parts give the same ID, so that a receiver can detect a repeat. */
export function stableId(...parts: Subject): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 32);
}

/** IDs of all callbacks and events that can contain the output. */
export function outputCallbackIds(key: AttemptKey): string[] {
  const subject = subjectOf(key);
  return [
    stableId("task", ...subject),
    stableId("human input", ...subject),
    eventId("task_completed", subject),
    eventId("human_feedback_requested", subject),
  ];
}

function eventId(type: EventType, subject: Subject): string {
  return stableId("event", type, ...subject);
}

export type Reporter = ReturnType<typeof createReporter>;

/** How an execution that was stopped ends: the same when it is stored at the stop, and when its run sends it. */
export function stopEvent({ id, project, endedAt }: Execution): StoredEvent {
  return {
    event_id: eventId("crew_kickoff_failed", [id]),
    type: "crew_kickoff_failed",
    timestamp: new Date(endedAt ?? Date.now()).toISOString(),
    started_event_id: eventId(crewStart, [id]),
    crew_name: project.name,
    error: "The execution was stopped.",
  };
}

/**
 * Makes callbacks in the shapes of deployed crews. Their IDs are derived from what they report, so
 * a repeat after a crash sends nothing new.
 */
export function createReporter(
  { id: executionId, project, meta, ...execution }: Execution,
  deliveries: Deliveries,
  events: Events,
  start: (id: string) => Promise<void>,
) {
  let { callbacks } = execution;
  const origin = { kickoff_id: executionId, meta };

  async function call(target: CallbackTarget | undefined, id: string, body: JsonObject) {
    if (!target) return;
    deliveries.add(id, executionId, target, body);
    await start(id);
  }

  /** Stores the event, and sends it if its type was requested (vendor's webhook streaming guide). */
  async function report(stored: StoredEvent): Promise<void> {
    events.add(executionId, stored);
    const { stream } = callbacks;
    const { event_id: id, timestamp, type, ...data } = stored;
    const isLast = lastEvents.has(type);
    if (!stream || !(isLast || stream.events.includes(type))) return;
    const sent = stream.events.includes(type)
      ? { id, execution_id: executionId, timestamp, type, data }
      : undefined;
    if (stream.isBatched !== true) {
      if (sent) await call(stream, stableId("stream", id), { events: [sent] });
      return;
    }
    const batch = deliveries.batch(executionId, stream, sent, isLast);
    if (batch !== undefined) await start(batch);
  }

  /** `at` in milliseconds since 1970: what is reported after a restart may have happened before it. */
  async function event(
    type: EventType,
    subject: Subject,
    data: JsonObject,
    at: number | null = Date.now(),
  ): Promise<void> {
    const of = (start: EventType) => eventId(start, start === crewStart ? [executionId] : subject);
    const started = startOf(type);
    await report({
      event_id: eventId(type, subject),
      type,
      timestamp: new Date(at ?? Date.now()).toISOString(),
      ...(type.startsWith("crew_kickoff_") ? {} : { parent_event_id: of(crewStart) }),
      ...(started && { started_event_id: of(started) }),
      ...data,
    });
  }

  return {
    report,
    event,

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
        await report({
          ...engineEvent,
          event_id: id ?? randomUUID(),
          // Older versions of crewAI report no IDs: then the times say what an event is part of.
          // Newer ones report on several threads: the agent's start may come before the task's.
          ...(id !== undefined && {
            parent_event_id:
              parent === undefined || taskStart === undefined || parent === taskStart
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

    async taskCompleted(
      key: AttemptKey,
      work: TaskAttempt,
      output: string,
      isWaiting: boolean,
      usage: TokenUsage | undefined,
      finishedAt: number | null,
    ): Promise<void> {
      const { task, agent, inputs } = work;
      const subject = subjectOf(key);
      const description = fill(task.description, inputs);
      const role = roleOf(agent, inputs);
      // Observed; it has no task ID.
      await call(callbacks.task, stableId("task", ...subject), {
        description,
        name: task.id,
        expected_output: fill(task.expectedOutput, inputs),
        // The first ten words, as in crewAI's `TaskOutput.summary`.
        summary: `${description.trim().split(/\s+/).slice(0, 10).join(" ")}...`,
        agent: role,
        output,
        output_json: null,
        ...origin,
      });
      const { attempt } = key;
      const data = { task_id: task.id, task_name: task.id, agent_role: role, attempt, output };
      const used = usage && { usage: { ...usage } };
      await event("task_completed", subject, { ...data, ...used }, finishedAt);
      if (!isWaiting) return;
      // Observed.
      await call(callbacks.humanInput, stableId("human input", ...subject), {
        execution_id: executionId,
        task_id: task.id,
        task_output: output,
        ...origin,
      });
      await event("human_feedback_requested", subject, data, finishedAt);
    },

    /** Observed. `count` numbers the steps of an attempt. */
    async step(key: AttemptKey, count: number, { toolInput, ...step }: AgentStep): Promise<void> {
      const body = { ...step, tool_input: toolInput, ...origin };
      await call(callbacks.step, stableId("step", ...subjectOf(key), count), body);
    },

    /** Observed. */
    async crewCompleted(output: string, usage: TokenUsage): Promise<void> {
      // First: the status that says that it has completed has this event.
      await event("crew_kickoff_completed", [executionId], { crew_name: project.name, output });
      await call(callbacks.crew, stableId("crew", executionId), {
        result: output,
        result_json: null,
        token_usage: { ...usage },
        ...origin,
      });
    },
  };
}
