/** Milliseconds. */
const QUICK = 2_000;
/** Milliseconds after a kickoff, a resume or the first sight of an execution in which it is asked quickly. */
const QUICK_PHASE = 20_000;
const GROWTH = 1.4;
const LONGEST_LOOKED_AT = 15_000;
const UNATTENDED_FACTOR = 4;
const LONGEST_UNATTENDED = 60_000;
/** Milliseconds between two questions for an execution that the crew does not know. */
const UNKNOWN = 60_000;
const LONGEST_BACK_OFF = 5 * 60_000;

/** What the time to the next question depends on. */
export interface PaceFacts {
  /** Milliseconds from the beginning of the session (kickoff, resume, first sight) to the last question. */
  readonly age: number;
  /** Questions asked since the quick phase was over. */
  readonly slowQuestions: number;
  /** Somebody looks at it, in the focused window. */
  readonly isLookedAt: boolean;
  /** The crew does not know the id: it may wait for a person. */
  readonly isUnknown: boolean;
}

/** Whether questions are still asked quickly. */
export function isQuickPhase(age: number): boolean {
  return age < QUICK_PHASE;
}

/** Milliseconds from an answer to the next question: 2 s for the first 20 s, then growing to 15 s; four times as long, 60 s at most, when nobody looks. */
export function pace({ age, slowQuestions, isLookedAt, isUnknown }: PaceFacts): number {
  if (isUnknown) {
    return UNKNOWN;
  }
  const base = isQuickPhase(age)
    ? QUICK
    : Math.min(LONGEST_LOOKED_AT, QUICK * GROWTH ** slowQuestions);
  return isLookedAt ? base : Math.min(LONGEST_UNATTENDED, base * UNATTENDED_FACTOR);
}

/** Milliseconds to wait after so many failures in a row: any time (full jitter, `random` in 0 to 1) up to a bound that doubles to 5 minutes, but never less than the ordinary pace. */
export function backOff(failures: number, random: number, ordinary: number): number {
  return Math.max(ordinary, random * Math.min(LONGEST_BACK_OFF, QUICK * 2 ** failures));
}
