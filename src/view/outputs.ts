import { cleanText, outputContent, withoutCommands } from "./markdown.ts";
import { type Execution, isRehearsalOutput } from "../executions/model.ts";
import { attemptAt } from "../executions/tasks.ts";

/** Bytes of UTF-8 above which an output opens as a file. */
const large = 1_000_000;

export interface Output {
  readonly part:
    | { readonly kind: "result" }
    | { readonly kind: "attempt"; readonly taskId: string; readonly attempt: number };
  readonly output: string;
}

export function outputsOf(execution: Execution): readonly Output[] {
  const attempts = execution.tasks.flatMap(({ taskId, attempts }) =>
    attempts.map(({ number }) => ({ kind: "attempt" as const, taskId, attempt: number })),
  );
  return [{ kind: "result" as const }, ...attempts].flatMap((part) => {
    const output = outputOf(execution, part) ?? "";
    return output.trim() === "" ? [] : [{ part, output }];
  });
}

export function outputOf(execution: Execution, part: Output["part"]): string | undefined {
  return part.kind === "result" ? execution.output : attemptAt(execution.tasks, part)?.output;
}

/** Of a task the last one or that of an attempt; without a task the result, or what waits. */
export function outputNamed(
  execution: Execution,
  { taskId, attempt }: { readonly taskId?: string; readonly attempt?: number },
): Output | undefined {
  const of = taskId ?? (execution.output === undefined ? execution.waiting?.taskId : undefined);
  return outputsOf(execution).findLast(({ part }) =>
    part.kind === "result"
      ? of === undefined
      : part.taskId === of && (attempt === undefined || part.attempt === attempt),
  );
}

export function isLarge(output: string): boolean {
  return output.length > large / 4 && Buffer.byteLength(output) > large;
}

export function shownOutput(output: string) {
  const { extension, text } = outputContent(output);
  // Keep spaces at the end of the last line: in a diff, a line must not depend on the next one.
  const clean = cleanText(text);
  const end = clean.indexOf("\n", clean.trimEnd().length);
  const whole = end === -1 ? clean : clean.slice(0, end);
  const shown = `${isRehearsalOutput(output) ? whole.replace(/(\S)[ \t]*$/gm, "$1  ") : whole}\n`;
  return { extension, text: extension === "md" ? withoutCommands(shown) : shown };
}
