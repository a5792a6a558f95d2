const maxCauses = 3;
const most = 50;

/** For a report: without errors' messages, which may hold private data. */
export const recentProblems: string[] = [];

export function noteProblem(doing: string, error: unknown): void {
  recentProblems.push(`${new Date().toISOString()} ${doing} (${kindOf(error)})`);
  if (recentProblems.length > most) recentProblems.shift();
}

/** Class, kind, HTTP status and code of the error and its causes. */
export function kindOf(error: unknown, depth = 0): string {
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
