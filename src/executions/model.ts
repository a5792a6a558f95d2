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

/** What a person said of one attempt. */
export interface Feedback {
  readonly isApprove: boolean;
  readonly text: string;
  /** ISO 8601. */
  readonly at: string;
}

/** One output of a task, before and after a retry. */
export interface Attempt {
  /** Counts from 1. */
  readonly number: number;
  readonly output?: string;
  readonly feedback?: Feedback;
}

/** A task of an execution, as far as it is known. */
export interface ExecutionTask {
  readonly taskId: string;
  readonly agent?: string;
  readonly state: "running" | "waiting" | "completed" | "failed" | "pending";
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
  /** Seconds, where the crew tells. */
  readonly executionTime?: number;
}

/** A resume that left this machine, or was about to. */
export interface SentResume {
  readonly taskId: string;
  readonly attempt: number;
  readonly feedback: Feedback;
  /** `unanswered`: it may have arrived. Its actions are off until a definite state comes or the person says "Send again". */
  readonly outcome: "sending" | "answered" | "refused" | "unanswered";
  /** Of a refused one: it never reached the crew. Absent where it did, and in records of earlier versions. */
  readonly isUnsent?: true;
  /** `resumed`, `retrying`, `completed`, or the new id to follow. */
  readonly answer?: string;
  readonly message?: string;
  /** ISO 8601; when the crew took an answered one. Absent where its answer never came, and in records of earlier versions. */
  readonly answeredAt?: string;
  /** Of an answered one: the crew was seen to go on since, or does so under a new id, which can't report the pause of before. */
  readonly isFollowed?: true;
}

/** What waits for a person. */
export interface Waiting {
  readonly taskId: string;
  readonly output?: string;
  readonly attempt: number;
  /** ISO 8601; when it was first seen. */
  readonly since: string;
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

/** One tracked execution: everything the extension knows and keeps of it, plain data, one file on disk. */
export interface Execution {
  readonly version: 1;
  /** Made here, before anything is sent; names the file. */
  readonly localId: string;
  readonly crew: CrewRef;
  /** The first is the execution's key in documents and in the API, the last the one to ask with. Empty while a kickoff's answer is missing. */
  readonly kickoffIds: readonly string[];
  /** Started here, or only followed by its id. */
  readonly origin: "kickoff" | "tracked";
  /** The person's own title. */
  readonly label?: string;
  /** The person keeps it first in its group. */
  readonly pinned?: true;
  readonly request?: SentKickoff;
  /** The local service's engine, where the crew is local: `rehearsal` calls no model, and that is said wherever it shows. */
  readonly engine?: string;
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
  readonly tasks: readonly ExecutionTask[];
  readonly output?: string;
  readonly outputJson?: JsonValue;
  readonly error?: string;
  /** Seconds, as the crew tells. */
  readonly executionTime?: number;
  readonly waiting?: Waiting;
  /** The crew took feedback for this output a moment ago and still reports its pause: most likely it lags. */
  readonly stillPaused?: Pick<Waiting, "taskId" | "attempt">;
  /** Oldest first. */
  readonly resumes: readonly SentResume[];
  /** What followed on how it began, oldest first; absent where nothing did, or an earlier version of the extension kept the record. */
  readonly history?: readonly StateChange[];
}

/** Who changes each part of an execution: an ended one takes only what a person does. A part that is not named here does not compile. */
const owners: Readonly<Record<keyof Execution, "person" | "others">> = {
  version: "others",
  localId: "others",
  // A person gives it another name or address.
  crew: "person",
  kickoffIds: "others",
  origin: "others",
  label: "person",
  pinned: "person",
  request: "others",
  engine: "others",
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
export function hasEnded(execution: Execution): boolean {
  return (
    execution.state === "completed" || execution.state === "failed" || execution.state === "stopped"
  );
}

/** The id that names an execution for people, documents and other extensions: its first kickoff id, or the local one until it has one. */
export function keyOf(execution: Execution): string {
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
