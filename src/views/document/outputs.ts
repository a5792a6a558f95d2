import type { ExecutionPart } from "../../editor/execution-uri.ts";
import type { Execution } from "../../executions/model.ts";

/** Bytes of UTF-8 from which an output counts as large: it is opened as a file, and the execution's document shows its beginning. */
const large = 1_000_000;

/** Names one output of an execution. */
export type OutputName = Exclude<ExecutionPart, { readonly kind: "answer" }>;

/** One output of an execution as it came: of an attempt of a task, or the execution's result. */
export interface Output {
  readonly part: OutputName;
  readonly output: string;
}

/** All outputs of an execution that are known and not empty, in the order of its document. */
export function outputsOf(execution: Execution): readonly Output[] {
  const attempts = execution.tasks.flatMap(({ taskId, attempts }) =>
    attempts.flatMap(({ number, output }): Output[] =>
      isEmpty(output) ? [] : [{ part: { kind: "attempt", taskId, attempt: number }, output }],
    ),
  );
  const result = resultOf(execution);
  return isEmpty(result) ? attempts : [{ part: { kind: "result" }, output: result }, ...attempts];
}

/** What an execution brought in the end; nothing while there is none. */
export function resultOf({ output, outputJson }: Execution): string | undefined {
  return (
    output ?? (outputJson === undefined ? undefined : JSON.stringify(outputJson, undefined, 2))
  );
}

/** One output of an execution; nothing where it is not known. */
export function outputOf(execution: Execution, part: ExecutionPart): string | undefined {
  switch (part.kind) {
    case "attempt":
      return execution.tasks
        .find((task) => task.taskId === part.taskId)
        ?.attempts.find((attempt) => attempt.number === part.attempt)?.output;
    case "result":
      return resultOf(execution);
    case "answer":
      return undefined;
  }
}

/** Whether an output is too long for a document of an execution. */
export function isLarge(output: string): boolean {
  return output.length > large / 4 && Buffer.byteLength(output) > large;
}

function isEmpty(output: string | undefined): output is undefined {
  return output === undefined || output.trim() === "";
}
