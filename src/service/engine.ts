import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../api/types.ts";
import type { CrewProject, ProjectAgent, ProjectTask } from "../projects/types.ts";
import type { Call } from "./calls.ts";
import type { ReplyOf } from "./crewai/replies.ts";
import type { Answer, Question, Rules } from "./questions.ts";

/** Context for every later attempt (specification, `human_feedback`). */
export interface Note {
  readonly taskId: string;
  readonly attempt: number;
  readonly isApprove: boolean;
  readonly feedback: string;
  readonly output: string;
}

export interface TaskAttempt {
  readonly executionId: string;
  readonly project: CrewProject;
  readonly rules?: Rules | null;
  readonly taskIndex: number;
  readonly task: ProjectTask;
  readonly agent: ProjectAgent | undefined;
  readonly inputs: JsonObject;
  readonly earlier: readonly { readonly taskId: string; readonly output: string }[];
  readonly notes: readonly Note[];
  readonly attempt: number;
  /** Whether no attempt of its execution came before it. */
  readonly isFirst: boolean;
  readonly refusal?: JsonObject;
  /** Set when a person has approved the attempt: what follows the review happens now. */
  readonly draft?: JsonObject;
}

/** A thought or action (specification, `stepWebhookUrl`). */
export interface AgentStep {
  readonly prompt: string;
  readonly thought: string;
  readonly tool: string | null;
  readonly toolInput: string | null;
  readonly result: string;
}

/** An event of crewAI's event bus, or in its shape; texts have at most 2,000 characters. Of tasks, only `task_started`. */
export interface EngineEvent extends JsonObject {
  readonly type: string;
  readonly timestamp: string;
}

/** What a run reports; each resolves when it is stored. */
export interface Reports {
  /**
   * An engine that costs money calls it before each attempt. Resolves to which calls to hold, in the shape of the worker.
   * If it rejects, the attempt was begun too often, and must not begin.
   */
  begin(): Promise<JsonObject>;
  step(step: AgentStep): Promise<void>;
  event(event: EngineEvent, method?: MethodReport): Promise<void>;
  call(call: Call): Promise<void>;
  /** A call is held. Resolves to a person's answer, and rejects when nobody waits for it any longer. */
  ask(question: Question): Promise<Answer>;
}

export type TaskResult = Omit<ReplyOf<"output">, "type">;

/** A part of a flow: from its start, or from the pause that is answered, to its next pause or its end. */
export interface FlowPart extends Pick<
  TaskAttempt,
  "executionId" | "project" | "rules" | "inputs"
> {
  readonly part: number;
  readonly answer?: FlowAnswer;
}

export interface FlowAnswer {
  /** When the pause began, which identifies it. */
  readonly requestedAt: string;
  readonly feedback: string;
  /** Those that crewAI may choose from; null for a pause without options, and for its own choice among all. */
  readonly outcomes: readonly string[] | null;
}

/** A method that waits for a person (`@human_feedback`). `requestedAt` tells one pause of an execution from another. */
export type FlowPause = NonNullable<ReplyOf<"output">["pause"]>;

/** What it asks. Of the options, an empty answer means the default one. */
export type FlowQuestion = Pick<
  FlowPause,
  "method" | "message" | "options" | "defaultOption" | "requestedAt"
>;

export interface MethodReport {
  readonly name: string;
  readonly output: string;
}

/** Tokens of language models, as callbacks name them (observed). */
export type TokenUsage = NonNullable<ReplyOf<"output">["usage"]>;

/** Turns one attempt at one task into an output. Order, pauses, feedback, retries and callbacks belong to the service. */
export interface Engine {
  readonly name: string;
  /** Whether it makes calls, which a recording can answer, and unfinished executions wait for a person's consent after a restart. */
  readonly costsMoney?: boolean;
  /** Whether a repeat of what failed would fail in the same way. */
  isFinal?(error: unknown): boolean;
  /** Resolves to the crew as it will run, which its files may not say. Rejects when it can't run. */
  prepare?(executionId: string, project: CrewProject, rules?: Rules | null): Promise<CrewProject>;
  inputs?(project: CrewProject): Promise<readonly string[]>;
  readonly canDebug?: boolean;
  /** Rejects when the task failed. May be called again for the same attempt after a crash, and once it is approved, for its draft. */
  run(attempt: TaskAttempt, report: Reports): Promise<TaskResult>;
  /** Like `run`, for a part of a flow. Undefined for an engine that can't run flows. */
  runFlow?(part: FlowPart, report: Reports): Promise<TaskResult>;
  /** How many executions of its crew run at a time (16). */
  readonly parallel?: number | undefined;
  readonly startsProcesses?: boolean;
  /** An execution waits for a person, or has ended: a `run` or `prepare` still under way then rejects. */
  rest?(executionId: string, hasEnded: boolean): void;
  /** Another process works for an execution: a `run` or `prepare` still under way here rejects. */
  drop?(executionId: string): void;
  /** Variables for projects that are opened from now on. They win over the projects' own; never log them. */
  setEnvironment?(variables: Readonly<Record<string, string>>): void;
  close?(): void;
}

export function roleOf(agent: ProjectAgent | undefined, inputs: JsonObject): string {
  return agent ? fill(agent.role, inputs).trim() : "";
}

/** As in crewAI, that of the last task that has one: skipped tasks have none. */
export function crewOutput(tasks: readonly { readonly output: string | null }[]): string {
  return tasks.findLast(({ output }) => (output ?? "") !== "")?.output ?? "";
}

export const rehearsalMark = "[REHEARSAL - no language model was called]";

const failureMark = "[rehearse failure]";

/** Repeats what an agent would be given. @param seconds for a task */
export function rehearsalEngine(seconds: number, parallel?: number): Engine {
  const sleeping = new Map<string, AbortController>();
  return {
    name: "rehearsal",
    parallel,
    async run(attempt, report) {
      const description = fill(attempt.task.description, attempt.inputs).trim();
      const waking = new AbortController();
      sleeping.set(attempt.executionId, waking);
      const event_id = randomUUID();
      const agent_role = roleOf(attempt.agent, attempt.inputs);
      const timestamp = () => new Date().toISOString();
      await report.event({
        type: "agent_execution_started",
        timestamp: timestamp(),
        event_id,
        agent_role,
      });
      await sleep(seconds * 1000, undefined, { signal: waking.signal });
      if (description.includes(failureMark))
        throw new Error(
          `The task "${attempt.task.id}" failed because its description contains "${failureMark}".`,
        );
      const output = rehearse(attempt, description);
      await report.event({
        type: "agent_execution_completed",
        timestamp: timestamp(),
        started_event_id: event_id,
        agent_role,
        output,
      });
      await report.step({
        prompt: description,
        thought: `${rehearsalMark} The answer repeats the task.`,
        tool: null,
        toolInput: null,
        result: output,
      });
      return { output };
    },
    rest(executionId, hasEnded) {
      if (hasEnded) sleeping.get(executionId)?.abort();
      sleeping.delete(executionId);
    },
  };
}

function rehearse(
  { task, agent, inputs, earlier, notes, attempt }: TaskAttempt,
  description: string,
): string {
  const seen = earlier.filter(({ taskId }) => task.context?.includes(taskId) ?? true);
  const lines = [
    rehearsalMark,
    "",
    `Agent: ${agent ? roleOf(agent, inputs) : "none"}`,
    `Task: ${description}`,
    `Expected output: ${fill(task.expectedOutput, inputs).trim()}`,
    `Attempt: ${attempt}`,
    `Earlier outputs: ${seen.length}`,
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

/** What crewAI fills in (`interpolate_only`, 1.0 to 1.15), so not other text in braces, such as JSON. */
const placeholder = /\{([A-Za-z_][A-Za-z0-9_-]*)\}/g;

/** A placeholder without an input stays. A value that isn't text is written as JSON. */
export function fill(text: string, inputs: Readonly<Record<string, unknown>>): string {
  return text.replace(placeholder, (mark, name: string) => {
    const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (value === undefined) return mark;
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}
