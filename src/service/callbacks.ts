import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "../api/types.ts";
import { fill } from "../projects/types.ts";
import { roleOf, type AgentStep, type TaskAttempt } from "./engine.ts";
import { messageOf } from "./errors.ts";
import type { AttemptKey, Callbacks, CallbackTarget, Execution } from "./model.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS deliveries (
    id TEXT PRIMARY KEY, execution_id TEXT NOT NULL REFERENCES executions, url TEXT NOT NULL, authorization TEXT,
    body TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'pending', failures INTEGER NOT NULL DEFAULT 0
  ) STRICT;
`;

/** With the default first wait of 5 s, doubled up to an hour, the last attempt is about 2.5 hours after the first. */
export const callbackAttempts = 12;

/** Callbacks to send and callbacks sent, in SQLite. After the last attempt neither body nor address nor credentials are kept. */
export class Deliveries {
  readonly #database: DatabaseSync;
  readonly #log: (line: string) => void;
  readonly #onSend: (id: string) => void;
  readonly #timeoutMs: number;

  constructor(
    database: DatabaseSync,
    log: (line: string) => void,
    onSend: (id: string) => void,
    timeoutMs: number,
  ) {
    this.#database = database;
    this.#log = log;
    this.#onSend = onSend;
    this.#timeoutMs = timeoutMs;
    database.exec(schema);
  }

  add(id: string, executionId: string, target: CallbackTarget, body: JsonObject): void {
    this.#database
      .prepare(
        "INSERT OR IGNORE INTO deliveries (id, execution_id, url, authorization, body) VALUES (?, ?, ?, ?, ?)",
      )
      .run(id, executionId, target.url, target.authorization ?? null, JSON.stringify(body));
  }

  /** Makes one attempt. Rejects if another one is needed later. */
  async send(id: string): Promise<void> {
    const row = this.#database
      .prepare("SELECT * FROM deliveries WHERE id = ? AND state = 'pending'")
      .get(id);
    if (!row) return;
    this.#onSend(id);
    const url = String(row["url"]);
    try {
      await post(url, headersOf(id, row["authorization"]), String(row["body"]), this.#timeoutMs);
    } catch (error) {
      if (this.#countFailure(id) < callbackAttempts) throw error;
      this.#settle(id, "given up");
      // The path may be a secret.
      const { origin } = new URL(url);
      this.#log(
        `A callback of execution ${String(row["execution_id"])} to ${origin} was given up after ${callbackAttempts} attempts: ${messageOf(error)}`,
      );
      return;
    }
    this.#settle(id, "sent");
  }

  #countFailure(id: string): number {
    const row = this.#database
      .prepare("UPDATE deliveries SET failures = failures + 1 WHERE id = ? RETURNING failures")
      .get(id);
    return Number(row?.["failures"]);
  }

  #settle(id: string, state: "sent" | "given up"): void {
    this.#database
      .prepare(
        "UPDATE deliveries SET state = ?, url = '', body = '', authorization = NULL WHERE id = ? AND state = 'pending'",
      )
      .run(state, id);
  }
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
    // Node's error quotes the credentials, and the reason of a failure is stored and logged.
    throw new Error(
      "The credentials of this callback can't be sent: a header can't contain one of their characters.",
    );
  }
  return headers;
}

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

/** An id made of `parts`, always the same for the same parts, so that a receiver can detect a repeat. */
export function stableId(...parts: Subject): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 32);
}

/** Ids of all callbacks that can contain the output of an attempt. */
export function outputCallbackIds(key: AttemptKey): string[] {
  const subject = subjectOf(key);
  return [
    stableId("task", ...subject),
    stableId("human input", ...subject),
    stableId("stream", eventId("task_completed", subject)),
    stableId("stream", eventId("human_feedback_requested", subject)),
  ];
}

function eventId(type: EventType, subject: Subject): string {
  return stableId("event", type, ...subject);
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
      // The first ten words, as in crewAI's `TaskOutput.summary`.
      summary: `${description.trim().split(/\s+/).slice(0, 10).join(" ")}...`,
      agent: role,
      output,
      output_json: null,
      ...this.#origin,
    });
    const { attempt } = key;
    const data = { task_id: task.id, task_name: task.id, agent_role: role, attempt, output };
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
  async step(key: AttemptKey, count: number, { toolInput, ...step }: AgentStep): Promise<void> {
    const body = { ...step, tool_input: toolInput, ...this.#origin };
    await this.#call(this.callbacks.step, stableId("step", ...subjectOf(key), count), body);
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
    await this.#call(stream, stableId("stream", id), {
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
