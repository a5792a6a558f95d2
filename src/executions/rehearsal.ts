import type { ExecutionSummary } from "./model.ts";

/** First line of every output of the rehearsal engine (the local service's `rehearsal.ts`). */
const rehearsalMark = "[REHEARSAL - no language model was called]";

/** Whether an output is one of the rehearsal engine's: plain lines, no Markdown. */
export function isRehearsalOutput(output: string): boolean {
  return output.startsWith(rehearsalMark);
}

/** Whether an output of an execution is one of the rehearsal engine's. */
export function hasRehearsalOutput({
  isRehearsed,
  output,
  waiting,
  tasks,
}: ExecutionSummary): boolean {
  const outputs = [
    output,
    waiting?.output,
    ...tasks.flatMap(({ attempts }) => attempts.map((attempt) => attempt.output)),
  ];
  return (
    isRehearsed === true ||
    outputs.some((each) => typeof each === "string" && isRehearsalOutput(each))
  );
}
