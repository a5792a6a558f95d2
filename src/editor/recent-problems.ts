import path from "node:path";

/** A problem for a report, without the error's message, which may hold private data. */
interface RecentProblem {
  readonly at: number;
  readonly doing: string;
  /** Class, kind, HTTP status and code of the error and its causes. */
  readonly error: string;
  /** `function (file:line:column)`, innermost first. */
  readonly frames: readonly string[];
}

const maxFrames = 12;
const maxCauses = 3;

export class RecentProblems {
  readonly #most: number;
  #kept: readonly RecentProblem[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get all(): readonly RecentProblem[] {
    return this.#kept;
  }

  note(at: number, doing: string, error: unknown): void {
    const problem = { at, doing, error: kindOf(error), frames: framesOf(error) };
    this.#kept = [...this.#kept, problem].slice(-this.#most);
  }
}

export const recentProblems = new RecentProblems(50);

function kindOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return typeof error;
  const details: Error & Partial<Record<"kind" | "reason" | "code" | "status", unknown>> = error;
  const { kind, reason, code, status } = details;
  const names = [kind, reason, code].filter((name) => typeof name === "string" && isName(name));
  const answer = typeof status === "number" ? [`HTTP ${status}`] : [];
  const own = [isName(error.name) ? error.name : "Error", ...names, ...answer].join(" ");
  return error.cause === undefined || depth >= maxCauses
    ? own
    : `${own} ← ${kindOf(error.cause, depth + 1)}`;
}

/** Whether a text is an identifier, and so no private data. */
function isName(text: string): boolean {
  return /^[A-Za-z][\w$]{0,59}$/.test(text);
}

/** Cuts off the error's message first, which may look like a frame. */
function framesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error) || error.stack?.includes(error.message) !== true) return [];
  const { stack, message } = error;
  const lines = stack.slice(stack.indexOf(message) + message.length).split("\n");
  return lines.flatMap((line) => frameIn(line) ?? []).slice(0, maxFrames);
}

/** VS Code's extension host indents frames with a tab, Node with spaces. */
function frameIn(line: string): string | undefined {
  const [, name, place] =
    /^\s+at (?:(?:async )?((?:new )?[\w$.<>#[\] ]{1,80}) \()?(.+:\d+:\d+)\)?$/.exec(line) ?? [];
  if (place === undefined) return undefined;
  const file = place.startsWith("node:") ? place : path.posix.basename(place.replaceAll("\\", "/"));
  if (!/^[\w.:/-]+$/.test(file)) return undefined;
  return name === undefined ? file : `${name} (${file})`;
}
