import type { CrewApiError } from "../api/errors.ts";
import type { AskOutcome } from "./ask.ts";
import { type ExecutionSummary, hasEnded } from "./model.ts";
import { backOff, isQuickPhase, pace } from "./pace.ts";
import { lastSentAt } from "./reduce.ts";

/** Milliseconds after which polling gives up. */
const AGE_LIMIT = 24 * 60 * 60_000;
/** Milliseconds that pass between two questions however often a window is shown and hidden. */
const LEAST_GAP = 2_000;

/** Where the tracker stands with one execution: when it was asked for, and when it is due. Times in milliseconds since 1970. */
export class Watched {
  readonly localId: string;
  /** Set while a request is under way. */
  request: AbortController | undefined;
  /** Somebody asked for a poll now: it happens even where polling is off. */
  isForced = false;
  /** Told when the next poll is over. */
  waiters: (() => void)[] = [];
  #error: CrewApiError | undefined;
  #hindrance: unknown;
  /** When the last question failed; undefined when it did not. */
  #failedAt: number | undefined;
  #session: string;
  /** The session in which the last question was asked. */
  #askedIn = "";
  #sessionStart: number;
  #slowQuestions = 0;
  #failures = 0;
  #askedAt: number | undefined;
  /** Overrides the pace: after a failure, or to ask soon. */
  #dueAt: number | undefined;

  constructor(execution: ExecutionSummary, now: number) {
    this.localId = execution.localId;
    this.#session = paceSession(execution);
    this.#sessionStart = now;
    this.#dueAt = now;
  }

  /** Why the last question failed; undefined when it did not. */
  get error(): CrewApiError | undefined {
    return this.#error;
  }

  /** What on this side kept the last question from leaving, or its answer from being written. */
  get hindrance(): unknown {
    return this.#hindrance;
  }

  /** Has failed since it last succeeded. */
  get failures(): number {
    return this.#failures;
  }

  /**
   * A kickoff's answer, a resume or a person's "go on" begins a new session: it is asked for at once and quickly. An answer that another
   * window has got since the last question failed here ends the problem. @returns whether it did
   */
  follow(execution: ExecutionSummary, now: number): boolean {
    const session = paceSession(execution);
    if (session !== this.#session) {
      this.#session = session;
      this.#sessionStart = now;
      this.#slowQuestions = 0;
      this.#failures = 0;
      this.#dueAt = now;
    }
    const isOver =
      this.#failedAt !== undefined && Date.parse(execution.seenAt ?? "") > this.#failedAt;
    if (isOver) {
      this.#failures = 0;
      this.#setProblem(undefined, undefined, now);
    }
    return isOver;
  }

  /** Asks soon: somebody looks now. */
  hurry(now: number): void {
    this.#dueAt = Math.max(now, (this.#askedAt ?? -Infinity) + LEAST_GAP);
  }

  /** When it is to be asked for. */
  due(execution: ExecutionSummary, isLookedAt: boolean): number {
    return this.#dueAt ?? (this.#askedAt ?? 0) + this.#pace(execution, isLookedAt);
  }

  /** A question leaves. */
  begin(request: AbortController): void {
    this.request = request;
    this.isForced = false;
    this.#askedIn = this.#session;
  }

  /** Takes in what became of the question; `random` in 0 to 1, for the jitter. @returns whether there is now another problem than before, or none any more */
  takeIn(outcome: AskOutcome, execution: ExecutionSummary, now: number, random: number): boolean {
    if (outcome.kind === "written") {
      this.#succeeded(now);
    } else {
      this.#failed(execution, now, random);
    }
    const error = outcome.kind === "failed" ? outcome.error : undefined;
    if (error?.retryAfterMs !== undefined) {
      this.#dueAt = now + error.retryAfterMs; // The crew said when to come back: that wins over everything.
    }
    const hindrance = outcome.kind === "hindered" ? outcome.error : undefined;
    const isNews =
      this.#error?.kind !== error?.kind ||
      this.#error?.message !== error?.message ||
      (this.#hindrance === undefined) !== (hindrance === undefined);
    this.#setProblem(error, hindrance, now);
    return isNews;
  }

  #setProblem(error: CrewApiError | undefined, hindrance: unknown, now: number): void {
    this.#error = error;
    this.#hindrance = hindrance;
    this.#failedAt = error === undefined && hindrance === undefined ? undefined : now;
  }

  /** The crew answered. An answer that a new session has overtaken does not put off the next question. */
  #succeeded(now: number): void {
    if (this.#askedIn !== this.#session) {
      return;
    }
    if (!isQuickPhase(now - this.#sessionStart) && this.#askedAt !== undefined) {
      this.#slowQuestions += 1;
    }
    this.#askedAt = now;
    this.#dueAt = undefined;
    this.#failures = 0;
  }

  /** No answer, or none that helps. */
  #failed(execution: ExecutionSummary, now: number, random: number): void {
    if (this.#askedIn !== this.#session) {
      return;
    }
    this.#askedAt = now;
    this.#failures += 1;
    this.#dueAt = now + backOff(this.#failures, random, this.#pace(execution, true));
  }

  #pace(execution: ExecutionSummary, isLookedAt: boolean): number {
    return pace({
      age: (this.#askedAt ?? this.#sessionStart) - this.#sessionStart,
      slowQuestions: this.#slowQuestions,
      isLookedAt,
      isUnknown: execution.state === "unknown" && execution.mayBeWaiting === true,
    });
  }
}

/** Whether it can be asked for at all, and an answer could change anything. */
export function canBeAsked(execution: ExecutionSummary): boolean {
  return !hasEnded(execution) && execution.kickoffIds.length > 0;
}

/** Whether nothing has happened for so long that polling gives up. */
export function isTooOld(execution: ExecutionSummary, now: number): boolean {
  const since =
    execution.watchedSince === undefined ? -Infinity : Date.parse(execution.watchedSince);
  return now - Math.max(lastSentAt(execution), since) >= AGE_LIMIT;
}

/** What an answer belongs to: one that was asked for before a resume or a new id says nothing about what came after. */
export function answerSession(execution: ExecutionSummary): string {
  return JSON.stringify([
    execution.kickoffIds.at(-1),
    execution.resumes.map((resume) => resume.outcome),
  ]);
}

function paceSession(execution: ExecutionSummary): string {
  const sent = execution.resumes.filter(
    (resume) => resume.outcome === "answered" || resume.outcome === "unanswered",
  );
  return JSON.stringify([execution.kickoffIds.at(-1), sent.length, execution.watchedSince]);
}
