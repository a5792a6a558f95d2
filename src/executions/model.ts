import { givenCallbacks } from "../api/callbacks.ts";
import type {
  CallbackUrls,
  Decision,
  HeldCall,
  KickoffRequest,
  PlainCallbacks,
  Progress,
  Question,
  TestVerdict,
  TokenUsage,
  Trigger,
  UndeliveredCallbacks,
} from "../api/types.ts";
import type { JsonObject } from "../base/json.ts";
import { isReceiverAddress } from "../base/loopback.ts";

export const executionStates = [
  "queued",
  "running",
  "waiting",
  "completed",
  "failed",
  "stopped",
  /** The crew doesn't know the id, which is also how a deployed crew's pause reads. */
  "unknown",
  /** The kickoff was sent and no response arrived. */
  "unconfirmed",
] as const;

export type ExecutionState = (typeof executionStates)[number];

export interface CrewRef {
  /** `url:<normalised address>` or `local:<folder URI>`. */
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

export interface SentKickoff extends Omit<KickoffRequest, keyof (CallbackUrls & PlainCallbacks)> {
  readonly callbacks: CallbackUrls & PlainCallbacks;
}

export interface KickoffSummary {
  readonly inputs: JsonObject;
  readonly shortened?: readonly string[];
}

export interface Feedback {
  readonly isApprove: boolean;
  /** An answer to a flow, whose output is neither approved nor rejected. */
  readonly isAnswer?: true;
  /** About a call that waited, and whether it is for all later ones of its tool. */
  readonly isCall?: true;
  readonly isForRun?: true;
  readonly at: string;
  readonly text: string;
}

interface AttemptSummary {
  readonly number: number;
  /** `true` in place of the text. */
  readonly output?: string | true;
  readonly feedback?: Pick<Feedback, "isApprove">;
  /** A callback reported that it waits. */
  readonly isHeard?: true;
}

export interface Attempt extends AttemptSummary {
  readonly output?: string;
  readonly feedback?: Feedback;
}

export interface TaskSummary {
  readonly taskId: string;
  readonly agent?: string;
  readonly state: "running" | "waiting" | "completed" | "failed" | "pending";
  readonly attempts: readonly AttemptSummary[];
  /** Done without output: its condition was not met. */
  readonly isSkipped?: true;
  /** Seconds, as reported by the crew. */
  readonly executionTime?: number;
  readonly times?: TaskTimes;
}

/** Of all attempts at a task, from the crew's events. */
export interface TaskTimes {
  /** Seconds, without pauses. Undefined while it lasts. */
  readonly worked?: number;
  /** Seconds of waiting for a person, in pauses that have ended. */
  readonly waited?: number;
  readonly tokens?: TokenUsage;
  readonly models?: readonly ModelTokens[];
}

export interface ModelTokens {
  readonly model?: string;
  readonly tokens: TokenUsage;
}

export interface ExecutionTask extends TaskSummary {
  readonly attempts: readonly Attempt[];
}

export interface ResumeSummary {
  readonly taskId: string;
  readonly attempt: number;
  readonly feedback: Omit<Feedback, "text">;
  /** `unanswered`: it may have arrived, so its actions are off. */
  readonly outcome: "sending" | "answered" | "refused" | "unanswered";
  /** When the crew accepted it. Undefined if its response was lost. */
  readonly answeredAt?: string;
  /** For `answered`: the crew has continued since, or continues under a new id. */
  readonly isFollowed?: true;
}

export interface SentResume extends ResumeSummary {
  readonly feedback: Feedback;
  /** `resumed`, `retrying`, `completed`, or the new id. */
  readonly answer?: string;
  readonly message?: string;
}

export interface WaitingSummary {
  readonly taskId: string;
  readonly output?: string | true;
  readonly attempt: number;
  readonly since: string;
  /** The answers that a flow names, maybe none. Undefined for a crew's output. */
  readonly options?: Question["options"];
  readonly defaultOption?: string;
  /** It is this call, and `taskId` its ID. */
  readonly call?: HeldCall;
}

/** A flow's question to a person, which came by webhook. Its output is an attempt of the method. */
export interface FlowRequest {
  readonly id: string;
  readonly taskId: string;
  readonly attempt: number;
  readonly since: string;
  readonly options: readonly string[];
  readonly callbackUrl: string;
}

export interface StateChange {
  /** When seen from here. */
  readonly at: string;
  /** When the previous state was last seen, if long before `at`. */
  readonly notBefore?: string;
  readonly state: ExecutionState;
  readonly stateText?: string;
  readonly mayBeWaiting?: boolean;
  readonly taskId?: string;
  readonly attempt?: number;
}

export interface StopRequest {
  readonly at: string;
  /** `unanswered`: it may have arrived. `ignored`: the crew accepted it and goes on. One that was refused is forgotten. */
  readonly outcome: "sending" | "answered" | "unanswered" | "ignored";
}

export interface BatchCell {
  readonly id: string;
  readonly name: string;
  readonly row: number;
  readonly label: string;
}

/** For lists: long texts are `true`. Any {@link Execution} is one, too. Its times are ISO 8601, and what it lists is oldest first. */
export interface ExecutionSummary {
  readonly localId: string;
  readonly crew: CrewRef;
  /** The first is the key in documents and in the API, the last is requested. May be empty. */
  readonly kickoffIds: readonly string[];
  readonly origin: "kickoff" | "tracked";
  readonly label?: string;
  /** `number`: from 1, among those with the same text. Undefined if only the id names it. */
  readonly title?: { readonly text: string; readonly number: number };
  readonly pinned?: true;
  readonly batch?: BatchCell;
  readonly request?: KickoffSummary;
  readonly engine?: string;
  readonly isRehearsed?: true;
  readonly state: ExecutionState;
  /** The state as the crew reported it, if it says more than `state`. */
  readonly stateText?: string;
  readonly mayBeWaiting?: boolean;
  readonly startedAt: string;
  readonly endedAt?: string;
  /** When the crew last gave a readable answer. */
  readonly seenAt?: string;
  readonly progress?: Progress;
  readonly tasks: readonly TaskSummary[];
  readonly output?: string | true;
  /** In a summary, its beginning on one line. */
  readonly error?: string;
  readonly executionTime?: number;
  readonly usage?: TokenUsage;
  readonly models?: readonly ModelTokens[];
  readonly trigger?: Trigger;
  readonly test?: TestVerdict;
  /** As reported by the crew, also after the end. */
  readonly undelivered?: readonly UndeliveredCallbacks[];
  readonly flowId?: string;
  readonly waiting?: WaitingSummary;
  readonly requestIds?: readonly string[];
  /** The crew accepted feedback for this output but still reports its pause; it probably lags. */
  readonly stillPaused?: Pick<WaitingSummary, "taskId" | "attempt">;
  readonly resumes: readonly ResumeSummary[];
  /** The last request to stop it. Only the state shows whether it stopped. */
  readonly stop?: StopRequest;
  /** The states after the first, oldest first. */
  readonly history?: readonly StateChange[];
}

export interface Execution extends ExecutionSummary {
  readonly request?: SentKickoff;
  readonly tasks: readonly ExecutionTask[];
  readonly output?: string;
  readonly decisions?: readonly Decision[];
  readonly eventCount?: number;
  readonly waiting?: WaitingSummary & Pick<Question, "message"> & { readonly output?: string };
  readonly requests?: readonly FlowRequest[];
  readonly resumes: readonly SentResume[];
}

export function isLocalCrew({ id }: Pick<CrewRef, "id">): boolean {
  return id.startsWith("local:");
}

export function hasEnded({ state }: Pick<ExecutionSummary, "state">): boolean {
  return state === "completed" || state === "failed" || state === "stopped";
}

export function isStopping(execution: Pick<ExecutionSummary, "state" | "stop">): boolean {
  const { stop } = execution;
  return (stop?.outcome === "sending" || stop?.outcome === "answered") && !hasEnded(execution);
}

/** Whether it can be run again from one of its tasks: only the local service can, and not a flow. */
export function canRunAgainFrom(execution: ExecutionSummary): boolean {
  const { crew, request, state, tasks, progress } = execution;
  const rests = hasEnded(execution) || state === "waiting";
  const isFlow = progress?.unit === "step";
  return rests && isLocalCrew(crew) && request !== undefined && tasks.length > 0 && !isFlow;
}

/** Whether no resume can follow: feedback being sent may still bring a new id. */
export function isDone(execution: ExecutionSummary): boolean {
  return hasEnded(execution) && execution.resumes.every(({ outcome }) => outcome !== "sending");
}

export function sendsCallbacks({ undelivered = [] }: ExecutionSummary): boolean {
  return undelivered.some(({ isGivenUp }) => isGivenUp !== true);
}

/** When the kickoff or feedback was sent last (milliseconds since 1970). */
export function lastSentAt(execution: ExecutionSummary): number {
  const sent = execution.resumes.filter((resume) => resume.outcome !== "refused");
  const times = [execution.startedAt, ...sent.map((resume) => resume.feedback.at)];
  return Math.max(...times.map((time) => Date.parse(time)));
}

/** Whether the crew doesn't know the id, as a deployed crew that waits for a person. */
export function mayWait({ state, mayBeWaiting }: Pick<StateChange, "state" | "mayBeWaiting">) {
  return state === "unknown" && mayBeWaiting === true;
}

/** Whether a flow asks a person in its crew's dashboard: its status says so, and no webhook has brought the request here. */
export function asksElsewhere({
  stateText = "not found",
  flowId,
  ...execution
}: Pick<ExecutionSummary, "state" | "mayBeWaiting" | "stateText" | "flowId">): boolean {
  return mayWait(execution) && flowId !== undefined && !/^not.?found$/i.test(stateText);
}

export function canBeAnswered(execution: ExecutionSummary): boolean {
  return execution.state === "waiting" || mayWait(execution);
}

/** Whether a person is needed; false if the id is probably wrong. */
export function waitsForPerson(execution: ExecutionSummary): boolean {
  return canBeAnswered(execution) && !isNeverSeen(execution);
}

/** Those that wait for a person, longest first. Ties: the one started first. */
export function toReview(executions: readonly ExecutionSummary[]): readonly ExecutionSummary[] {
  const since = ({ waiting, startedAt }: ExecutionSummary) =>
    `${waiting?.since ?? startedAt} ${startedAt}`;
  return executions.filter(waitsForPerson).sort((a, b) => (since(a) < since(b) ? -1 : 1));
}

/** After or before `current` in {@link toReview}, around its ends. Undefined if nothing else waits. */
export function nextToReview(
  executions: readonly ExecutionSummary[],
  current: string | undefined,
  step: 1 | -1,
): ExecutionSummary | undefined {
  const all = toReview(executions);
  const at = all.findIndex(({ localId }) => localId === current);
  const next = all.at(at === -1 ? Math.min(0, step) : (at + step) % all.length);
  return next?.localId === current ? undefined : next;
}

/** Whether the crew never knew a tracked id, which is probably mistyped or another crew's. */
export function isNeverSeen(execution: ExecutionSummary): boolean {
  const { origin, seenAt, progress, tasks, resumes } = execution;
  const isUnseen = seenAt === undefined && progress === undefined && tasks.length === 0;
  const isAnswered = resumes.some(({ outcome }) => outcome === "answered");
  return origin === "tracked" && mayWait(execution) && isUnseen && !isAnswered;
}

/** An execution's public id: its first kickoff id, else its local id. */
export function keyOf(execution: Pick<ExecutionSummary, "kickoffIds" | "localId">): string {
  return execution.kickoffIds[0] ?? execution.localId;
}

export function targetOf(execution: Pick<ExecutionSummary, "crew" | "kickoffIds" | "localId">) {
  return { crew: execution.crew.id, kickoffId: keyOf(execution) };
}

type OptionalKey = {
  [Key in keyof Execution]-?: undefined extends Execution[Key] ? Key : never;
}[keyof Execution];

export function without(execution: Execution, ...keys: readonly OptionalKey[]): Execution {
  const copy = { ...execution };
  for (const key of keys) Reflect.deleteProperty(copy, key);
  return copy;
}

/** The first line of every output of the local service's rehearsal engine. */
const rehearsalMark = "[REHEARSAL - no language model was called]";

/** Such an output is plain text, not Markdown. */
export function isRehearsalOutput(output: string): boolean {
  return output.startsWith(rehearsalMark);
}

export function hasRehearsalOutput(execution: ExecutionSummary): boolean {
  const attempts = execution.tasks.flatMap((task) => task.attempts);
  const outputs = [execution, execution.waiting, ...attempts].map((each) => each?.output);
  const isOne = (each?: string | true) => typeof each === "string" && isRehearsalOutput(each);
  return execution.isRehearsed === true || outputs.some(isOne);
}

/** Those that have failed. That this machine's own receiver was closed, as without a window, is no failure: it reads the status. */
export function failedCallbacks({ undelivered = [], request }: Execution) {
  const own = givenCallbacks(request?.callbacks ?? {})
    .filter(({ address }) => isReceiverAddress(address))
    .map(({ address }) => `ECONNREFUSED ${new URL(address).host}`);
  return undelivered.filter(
    ({ attempts, error = "" }) =>
      // Those that have not failed are on their way.
      attempts > 0 && !own.some((refused) => error.includes(refused)),
  );
}
