import path from "node:path";

const maxKept = 50;
const maxFrames = 12;
const maxCauses = 3;

/** For a report: `doing` is a constant, and an error's message, which may hold private data, is left out. */
export function noteProblem(at: number, doing: string, error: unknown): void {
  recentProblems.push({ at, doing, error: kindOf(error), frames: framesOf(error) });
  if (recentProblems.length > maxKept) recentProblems.shift();
}

/** Frames are `function (file:line:column)`, innermost first. */
export const recentProblems: { at: number; doing: string; error: string; frames: string[] }[] = [];

/** Class, kind, HTTP status and code of the error and its causes. */
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
function framesOf(error: unknown): string[] {
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
