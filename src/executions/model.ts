import type { CallbackUrls, PlainCallbacks, Progress } from "../api/types.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";

export const executionStates = [
  "queued",
  "running",
  /** A person must approve or reject a known task. */
  "waiting",
  "completed",
  "failed",
  "stopped",
  /** The crew does not know the id, which is also how a deployed crew's pause reads. */
  "unknown",
  /** The kickoff was sent and its answer never came. */
  "unconfirmed",
] as const;

export type ExecutionState = (typeof executionStates)[number];

/** The crew of an execution, as it was when the execution was started or tracked. */
export interface CrewRef {
  /** `url:<normalised address>` or `local:<folder URI>`. */
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

export interface SentKickoff {
  readonly inputs: JsonObject;
  readonly meta?: JsonObject;
  readonly callbacks: CallbackUrls & PlainCallbacks;
}

/** What lists know of {@link SentKickoff}. */
export interface KickoffSummary {
  readonly inputs: JsonObject;
  /** Names of the inputs whose values are shortened. */
  readonly shortened?: readonly string[];
  /** Only whether a callback takes credentials. */
  readonly callbacks: {
    readonly humanInputWebhook?: { readonly authentication?: unknown };
    readonly webhooks?: { readonly authentication?: unknown };
  };
}

export interface Feedback {
  readonly isApprove: boolean;
  /** ISO 8601. */
  readonly at: string;
  readonly text: string;
}

type FeedbackSummary = Omit<Feedback, "text">;

export interface AttemptSummary {
  readonly number: number;
  /** `true` in place of the text. */
  readonly output?: string | true;
  readonly feedback?: Pick<Feedback, "isApprove">;
}

/** One output of a task, before and after a retry. */
export interface Attempt extends AttemptSummary {
  readonly output?: string;
  readonly feedback?: Feedback;
}

export interface TaskSummary {
  readonly taskId: string;
  readonly agent?: string;
  readonly state: "running" | "waiting" | "completed" | "failed" | "pending";
  /** Oldest first. */
  readonly attempts: readonly AttemptSummary[];
  /** Seconds, as the crew reports it. */
  readonly executionTime?: number;
}

export interface ExecutionTask extends TaskSummary {
  readonly attempts: readonly Attempt[];
}

/** What lists know of {@link SentResume}. */
export interface ResumeSummary {
  readonly taskId: string;
  readonly attempt: number;
  readonly feedback: FeedbackSummary;
  /** `unanswered`: it may have arrived. Its actions are off until a definite state comes or the person says "Send again". */
  readonly outcome: "sending" | "answered" | "refused" | "unanswered";
  /** Of a refused one: it never reached the crew. */
  readonly isUnsent?: true;
  /** ISO 8601; when the crew accepted an answered one. Undefined if its answer never came. */
  readonly answeredAt?: string;
  /** Of an answered one: the crew has continued since, or does so under a new id, which can't report the pause of before. */
  readonly isFollowed?: true;
}

export interface SentResume extends ResumeSummary {
  readonly feedback: Feedback;
  /** `resumed`, `retrying`, `completed`, or the new id to follow. */
  readonly answer?: string;
  readonly message?: string;
}

export interface WaitingSummary {
  readonly taskId: string;
  /** `true` in place of the text. */
  readonly output?: string | true;
  readonly attempt: number;
  /** ISO 8601; when it was first seen. */
  readonly since: string;
}

/** An execution's state from a moment on, as it was seen from here. */
export interface StateChange {
  /** ISO 8601; when it was seen. */
  readonly at: string;
  /** ISO 8601; when the state before was last seen, if that was long ago: the change happened at some time since. */
  readonly notBefore?: string;
  readonly state: ExecutionState;
  readonly stateText?: string;
  readonly mayBeWaiting?: boolean;
  /** The task that runs or waits, if known. */
  readonly taskId?: string;
  readonly attempt?: number;
}

/** What lists know of an execution: all but its long texts, which are `true` instead. Any {@link Execution} is one, too. */
export interface ExecutionSummary {
  readonly localId: string;
  readonly crew: CrewRef;
  /** The first is the execution's key in documents and in the API, the last is the one to ask for. Empty while a kickoff's answer is missing. */
  readonly kickoffIds: readonly string[];
  /** Started here, or only followed by its id. */
  readonly origin: "kickoff" | "tracked";
  /** The person's own title. */
  readonly label?: string;
  /** Made when the execution is added or gets another label. Undefined if nothing but its id names it. */
  /** `number`: from 1, among executions of the crew with the same text. */
  readonly title?: { readonly text: string; readonly number: number };
  /** The person keeps it first in its group. */
  readonly pinned?: true;
  readonly request?: KickoffSummary;
  /** The local service's engine, if the crew is local: `rehearsal` calls no model. */
  readonly engine?: string;
  /** An output is one of the rehearsal engine's, whatever is known of the crew. */
  readonly isRehearsed?: true;
  readonly state: ExecutionState;
  /** The state's text as it came, if it says more than `state`. */
  readonly stateText?: string;
  readonly mayBeWaiting?: boolean;
  /** ISO 8601, all times. */
  readonly startedAt: string;
  readonly endedAt?: string;
  /** When the crew last gave an answer that could be read. */
  readonly seenAt?: string;
  /** When polling gave up by age (24 h). */
  readonly watchingStoppedAt?: string;
  /** When the person last asked to continue watching; the age limit counts from there. */
  readonly watchedSince?: string;
  readonly progress?: Progress;
  readonly tasks: readonly TaskSummary[];
  readonly output?: string | true;
  /** In a summary its beginning, in one line. */
  readonly error?: string;
  /** Seconds, as the crew reports it. */
  readonly executionTime?: number;
  readonly waiting?: WaitingSummary;
  /** The crew accepted feedback for this output a moment ago and still reports its pause: most likely it lags. */
  readonly stillPaused?: Pick<WaitingSummary, "taskId" | "attempt">;
  /** Oldest first. */
  readonly resumes: readonly ResumeSummary[];
  /** The states after the first one, oldest first. */
  readonly history?: readonly StateChange[];
}

/** One tracked execution: everything the extension knows and keeps of it, plain data. */
export interface Execution extends ExecutionSummary {
  readonly request?: SentKickoff;
  readonly tasks: readonly ExecutionTask[];
  readonly output?: string;
  readonly outputJson?: JsonValue;
  readonly waiting?: WaitingSummary & { readonly output?: string };
  readonly resumes: readonly SentResume[];
}

/** Whether a crew is served on this machine by the local service. It has a log there, and no dashboard. */
export function isLocalCrew({ id }: Pick<CrewRef, "id">): boolean {
  return id.startsWith("local:");
}

export function hasEnded({ state }: Pick<ExecutionSummary, "state">): boolean {
  return state === "completed" || state === "failed" || state === "stopped";
}

/** Whether no resume can come any more. Feedback that is being sent may still bring a new id. */
export function isDone(execution: ExecutionSummary): boolean {
  return hasEnded(execution) && execution.resumes.every(({ outcome }) => outcome !== "sending");
}

/** Whether a person can answer a task: one waits, or may. */
export function canBeAnswered({ state, mayBeWaiting }: ExecutionSummary): boolean {
  return state === "waiting" || (state === "unknown" && mayBeWaiting === true);
}

/** Whether a person is needed: a task waits, or may, and the id isn't likelier a wrong one. */
export function waitsForPerson(execution: ExecutionSummary): boolean {
  return canBeAnswered(execution) && !isNeverSeen(execution);
}

/** Whether the crew does not know an id that somebody entered, and never did: most likely it is mistyped or another crew's. */
export function isNeverSeen(execution: ExecutionSummary): boolean {
  const { origin, state, mayBeWaiting, seenAt, progress, tasks, resumes } = execution;
  const isUnseen = seenAt === undefined && progress === undefined && tasks.length === 0;
  const isAnswered = resumes.some(({ outcome }) => outcome === "answered");
  const isUnknown = state === "unknown" && mayBeWaiting === true;
  return origin === "tracked" && isUnknown && isUnseen && !isAnswered;
}

/** The id that names an execution for people, documents and other extensions: its first kickoff id, or the local one until it has one. */
export function keyOf(execution: Pick<ExecutionSummary, "kickoffIds" | "localId">): string {
  return execution.kickoffIds[0] ?? execution.localId;
}

type OptionalKey = {
  [Key in keyof Execution]-?: undefined extends Execution[Key] ? Key : never;
}[keyof Execution];

export function without(execution: Execution, ...keys: readonly OptionalKey[]): Execution {
  const copy = { ...execution };
  for (const key of keys) Reflect.deleteProperty(copy, key);
  return copy;
}

/** First line of every output of the rehearsal engine (the local service's `rehearsal.ts`). */
const rehearsalMark = "[REHEARSAL - no language model was called]";

/** Whether an output is one of the rehearsal engine's: plain lines, no Markdown. */
export function isRehearsalOutput(output: string): boolean {
  return output.startsWith(rehearsalMark);
}

export function hasRehearsalOutput(execution: ExecutionSummary): boolean {
  const attempts = execution.tasks.flatMap((task) => task.attempts);
  const outputs = [execution, execution.waiting, ...attempts].map((each) => each?.output);
  const isOne = (each?: string | true) => typeof each === "string" && isRehearsalOutput(each);
  return execution.isRehearsed === true || outputs.some(isOne);
}
