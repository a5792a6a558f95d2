import path from "node:path";

/** A problem as a report may tell it: nothing of the error's words, which may hold addresses, inputs or what a crew said. */
export interface RecentProblem {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What was being done, in the code's own words; holds no names. */
  readonly doing: string;
  /** The error's class, kind, HTTP status and code, as far as it has them, and those of what caused it. */
  readonly error: string;
  /** `function (file:line:column)`, innermost first; no folders. */
  readonly frames: readonly string[];
}

/** Frames that are kept of an error. */
const deepest = 12;
/** Causes that are followed. */
const causes = 3;

/** The last problems of this window, in memory only. */
export class RecentProblems {
  readonly #most: number;
  #kept: readonly RecentProblem[] = [];

  /** @param most how many are kept; the oldest go */
  constructor(most: number) {
    this.#most = most;
  }

  /** Oldest first. */
  get all(): readonly RecentProblem[] {
    return this.#kept;
  }

  /** Keeps what a report may tell of an error. */
  note(at: number, doing: string, error: unknown): void {
    this.#kept = [
      ...this.#kept,
      { at, doing, error: kindOf(error), frames: framesOf(error) },
    ].slice(-this.#most);
  }
}

/** The problems that this window's log was told of. */
export const recentProblems = new RecentProblems(50);

function kindOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return typeof error;
  const {
    kind,
    reason,
    code,
    status,
  }: Error & {
    readonly kind?: unknown;
    readonly reason?: unknown;
    readonly code?: unknown;
    readonly status?: unknown;
  } = error;
  const words = [kind, reason, code].filter((word) => typeof word === "string" && isOneWord(word));
  const answer = typeof status === "number" ? [`HTTP ${status}`] : [];
  const own = [isOneWord(error.name) ? error.name : "Error", ...words, ...answer].join(" ");
  return error.cause === undefined || depth >= causes
    ? own
    : `${own} ← ${kindOf(error.cause, depth + 1)}`;
}

/** A class, kind or code of a program; what has blanks or signs may be somebody's text. */
function isOneWord(text: string): boolean {
  return /^[A-Za-z][\w$]{0,59}$/.test(text);
}

/** The stack begins with the error's message, which may look like anything: what stands before its end is no frame. Without it, nobody knows what is. */
function framesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error) || error.stack?.includes(error.message) !== true) return [];
  const { stack, message } = error;
  const lines = stack.slice(stack.indexOf(message) + message.length).split("\n");
  return lines.flatMap((line) => frameIn(line) ?? []).slice(0, deepest);
}

/** VS Code's extension host begins frames with a tab, Node with blanks. */
function frameIn(line: string): string | undefined {
  const [, name, place] =
    /^\s+at (?:(?:async )?((?:new )?[\w$.<>#[\] ]{1,80}) \()?(.+:\d+:\d+)\)?$/.exec(line) ?? [];
  if (place === undefined) return undefined;
  const file = place.startsWith("node:") ? place : path.posix.basename(place.replaceAll("\\", "/"));
  if (!/^[\w.:/-]+$/.test(file)) return undefined;
  return name === undefined ? file : `${name} (${file})`;
}
