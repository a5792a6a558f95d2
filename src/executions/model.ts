import type {
  CallbackUrls,
  JsonObject,
  JsonValue,
  PlainCallbacks,
  Progress,
} from "../api/types.ts";

/**
 * Where an execution stands, as the extension sees it.
 * `waiting`: a person must approve or reject a known task. `unknown`: the crew does not know the id (a deployed crew's
 * pause reads the same). `unconfirmed`: the kickoff was sent and its answer never came ("may have started").
 */
export type ExecutionState =
  "queued" | "running" | "waiting" | "completed" | "failed" | "stopped" | "unknown" | "unconfirmed";

/** The crew an execution belongs to, as it was when the execution was started or tracked. */
export interface CrewRef {
  /** `url:<normalised address>` or `local:<folder URI>`. */
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

/** What was sent to start an execution, without secrets. */
export interface SentKickoff {
  readonly inputs: JsonObject;
  readonly meta?: JsonObject;
  readonly callbacks: CallbackUrls & PlainCallbacks;
}

/** What lists know of {@link SentKickoff}. */
export interface KickoffSummary {
  /** Long values are shortened; `shortened` names those. */
  readonly inputs: JsonObject;
  readonly shortened?: readonly string[];
  /** Tells only whether a callback takes credentials. */
  readonly callbacks: {
    readonly humanInputWebhook?: { readonly authentication?: unknown };
    readonly webhooks?: { readonly authentication?: unknown };
  };
}

/** What lists know of {@link Feedback}. */
export interface FeedbackSummary {
  readonly isApprove: boolean;
  /** ISO 8601. */
  readonly at: string;
}

/** What a person said of one attempt. */
export interface Feedback extends FeedbackSummary {
  readonly text: string;
}

/** What lists know of {@link Attempt}. */
export interface AttemptSummary {
  /** Counts from 1. */
  readonly number: number;
  /** `true` in place of the text. */
  readonly output?: string | true;
  readonly feedback?: FeedbackSummary;
}

/** One output of a task, before and after a retry. */
export interface Attempt extends AttemptSummary {
  readonly output?: string;
  readonly feedback?: Feedback;
}

/** What lists know of {@link ExecutionTask}. */
export interface TaskSummary {
  readonly taskId: string;
  readonly agent?: string;
  readonly state: "running" | "waiting" | "completed" | "failed" | "pending";
  /** Oldest first. */
  readonly attempts: readonly AttemptSummary[];
  /** Seconds, where the crew tells. */
  readonly executionTime?: number;
}

/** A task of an execution, as far as it is known. */
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
  /** Of a refused one: it never reached the crew. Absent where it did. */
  readonly isUnsent?: true;
  /** ISO 8601; when the crew took an answered one. Absent where its answer never came. */
  readonly answeredAt?: string;
  /** Of an answered one: the crew was seen to go on since, or does so under a new id, which can't report the pause of before. */
  readonly isFollowed?: true;
}

/** A resume that left this machine, or was about to. */
export interface SentResume extends ResumeSummary {
  readonly feedback: Feedback;
  /** `resumed`, `retrying`, `completed`, or the new id to follow. */
  readonly answer?: string;
  readonly message?: string;
}

/** What lists know of {@link Waiting}. */
export interface WaitingSummary {
  readonly taskId: string;
  /** `true` in place of the text. */
  readonly output?: string | true;
  readonly attempt: number;
  /** ISO 8601; when it was first seen. */
  readonly since: string;
}

/** What waits for a person. */
export interface Waiting extends WaitingSummary {
  readonly output?: string;
}

/** An execution's state from a moment on, as it was seen from here. */
export interface StateChange {
  /** ISO 8601; when it was seen. */
  readonly at: string;
  /** ISO 8601; when the state of before was last seen, where that was long ago: the change happened at some time since. */
  readonly notBefore?: string;
  readonly state: ExecutionState;
  /** As in {@link Execution}. */
  readonly stateText?: string;
  readonly mayBeWaiting?: boolean;
  /** The task that runs or waits, where the crew tells. */
  readonly taskId?: string;
  /** The attempt that waits. */
  readonly attempt?: number;
}

/** What an execution is called among the others of its crew. */
export interface Title {
  /** With a number where others of the same title were started before it. */
  readonly text: string;
  /** Whether others have the same title but for the number. */
  readonly isShared: boolean;
}

/**
 * What lists know of a tracked execution: all but its long texts. Any {@link Execution} is one, too; of what has a text, a summary
 * says `true`.
 */
export interface ExecutionSummary {
  /** Made here, before anything is sent. */
  readonly localId: string;
  readonly crew: CrewRef;
  /** The first is the execution's key in documents and in the API, the last the one to ask with. Empty while a kickoff's answer is missing. */
  readonly kickoffIds: readonly string[];
  /** Started here, or only followed by its id. */
  readonly origin: "kickoff" | "tracked";
  /** The person's own title. */
  readonly label?: string;
  /** The title among the others, as it is now; never written. Absent for an execution that no store holds. */
  readonly title?: Title;
  /** The person keeps it first in its group. */
  readonly pinned?: true;
  readonly request?: KickoffSummary;
  /** The local service's engine, where the crew is local: `rehearsal` calls no model, and that is said wherever it shows. */
  readonly engine?: string;
  /** An output is one of the rehearsal engine's, whatever is known of the crew; made from the outputs. */
  readonly isRehearsed?: true;
  readonly state: ExecutionState;
  /** The state's word as it came, where it says more than `state`. */
  readonly stateText?: string;
  readonly mayBeWaiting?: boolean;
  /** ISO 8601, all times. */
  readonly startedAt: string;
  readonly endedAt?: string;
  /** When the crew last gave an answer that could be read. */
  readonly seenAt?: string;
  /** When polling gave up by age (24 h); one click goes on. */
  readonly watchingStoppedAt?: string;
  /** When the person last asked to go on watching; the age limit counts from there. */
  readonly watchedSince?: string;
  readonly progress?: Progress;
  readonly tasks: readonly TaskSummary[];
  /** `true` in place of the text. */
  readonly output?: string | true;
  /** In a summary its beginning, in one line. */
  readonly error?: string;
  /** Seconds, as the crew tells. */
  readonly executionTime?: number;
  readonly waiting?: WaitingSummary;
  /** The crew took feedback for this output a moment ago and still reports its pause: most likely it lags. */
  readonly stillPaused?: Pick<Waiting, "taskId" | "attempt">;
  /** Oldest first. */
  readonly resumes: readonly ResumeSummary[];
  /** What followed on how it began, oldest first; absent where nothing did. */
  readonly history?: readonly StateChange[];
}

/** One tracked execution: everything the extension knows and keeps of it, plain data. */
export interface Execution extends ExecutionSummary {
  readonly request?: SentKickoff;
  readonly tasks: readonly ExecutionTask[];
  readonly output?: string;
  readonly outputJson?: JsonValue;
  readonly waiting?: Waiting;
  readonly resumes: readonly SentResume[];
}

/** Who changes each part of an execution: an ended one takes only what a person does. A part that is not named here does not compile. */
const owners: Readonly<Record<keyof Execution, "person" | "others">> = {
  localId: "others",
  // A person gives it another name or address.
  crew: "person",
  kickoffIds: "others",
  origin: "others",
  label: "person",
  title: "others",
  pinned: "person",
  request: "others",
  engine: "others",
  isRehearsed: "others",
  state: "others",
  stateText: "others",
  mayBeWaiting: "others",
  startedAt: "others",
  endedAt: "others",
  seenAt: "others",
  watchingStoppedAt: "others",
  watchedSince: "person",
  progress: "others",
  tasks: "others",
  output: "others",
  outputJson: "others",
  error: "others",
  executionTime: "others",
  waiting: "others",
  stillPaused: "others",
  resumes: "person",
  history: "others",
};

/** An execution with all that a person owns taken from another state of it. */
export function withPersonsPartsOf(execution: Execution, from: Execution): Execution {
  const copy = { ...execution };
  for (const [part, owner] of Object.entries(owners)) {
    if (owner !== "person") continue;
    if (Object.hasOwn(from, part)) Reflect.set(copy, part, Reflect.get(from, part));
    else Reflect.deleteProperty(copy, part);
  }
  return copy;
}

/** Whether a crew is served on this machine by the local service. It has a log there, and no dashboard. */
export function isLocalCrew({ id }: Pick<CrewRef, "id">): boolean {
  return id.startsWith("local:");
}

/** Whether nothing more will come. */
export function hasEnded(execution: Pick<ExecutionSummary, "state">): boolean {
  return (
    execution.state === "completed" || execution.state === "failed" || execution.state === "stopped"
  );
}

/** The id that names an execution for people, documents and other extensions: its first kickoff id, or the local one until it has one. */
export function keyOf(execution: Pick<ExecutionSummary, "kickoffIds" | "localId">): string {
  return execution.kickoffIds[0] ?? execution.localId;
}

/** What an execution may do without. */
type OptionalKey = {
  [Key in keyof Execution]-?: undefined extends Execution[Key] ? Key : never;
}[keyof Execution];

/** The same execution without some of what it may do without. */
export function without(execution: Execution, ...keys: readonly OptionalKey[]): Execution {
  const copy = { ...execution };
  for (const key of keys) {
    Reflect.deleteProperty(copy, key);
  }
  return copy;
}
