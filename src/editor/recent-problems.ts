const maxCauses = 3;
const most = 50;
/** An identifier, and so no private data. */
const name = /^[A-Za-z][\w$]{0,59}$/;

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
  const names = [kind, reason, code].filter((each) => typeof each === "string" && name.test(each));
  const answer = typeof status === "number" ? [`HTTP ${status}`] : [];
  const own = [name.test(error.name) ? error.name : "Error", ...names, ...answer].join(" ");
  return error.cause === undefined || depth >= maxCauses
    ? own
    : `${own} ← ${kindOf(error.cause, depth + 1)}`;
}
