import type * as vscode from "vscode";
import { partUri, type ExecutionPart } from "../../editor/execution-uri.ts";
import { keyOf, type Execution } from "../../executions/model.ts";
import { outputContent } from "./content.ts";

/** One output of an execution as it came: of an attempt of a task, or the execution's result. */
export interface Output {
  readonly part: Exclude<ExecutionPart, { readonly kind: "answer" }>;
  readonly output: string;
}

/** All outputs of an execution that are known and not empty, in the order of its document. */
export function outputsOf(execution: Execution): readonly Output[] {
  const attempts = execution.tasks.flatMap(({ taskId, attempts }) =>
    attempts.flatMap(({ number, output }): Output[] => (isEmpty(output) ? [] : [{ part: { kind: "attempt", taskId, attempt: number }, output }])),
  );
  const result = resultOf(execution);
  return isEmpty(result) ? attempts : [...attempts, { part: { kind: "result" }, output: result }];
}

/** What an execution brought in the end; nothing while there is none. */
export function resultOf({ output, outputJson }: Execution): string | undefined {
  return output ?? (outputJson === undefined ? undefined : JSON.stringify(outputJson, undefined, 2));
}

/** One output of an execution; nothing where it is not known. */
export function outputOf(execution: Execution, part: ExecutionPart): string | undefined {
  switch (part.kind) {
    case "attempt":
      return execution.tasks.find((task) => task.taskId === part.taskId)?.attempts.find((attempt) => attempt.number === part.attempt)?.output;
    case "result":
      return resultOf(execution);
    case "answer":
      return undefined;
  }
}

/** The address of the document of one attempt of a task; its text never changes. Nothing where the output is not known. */
export function outputUri(execution: Execution, taskId: string, attempt: number, scheme?: string): vscode.Uri | undefined {
  return uriOfPart(execution, { kind: "attempt", taskId, attempt }, scheme);
}

/** The address of the document of a part of an execution; nothing where its output is not known. */
export function uriOfPart(execution: Execution, part: ExecutionPart, scheme?: string): vscode.Uri | undefined {
  const output = outputOf(execution, part);
  if (output === undefined) return undefined;
  return partUri({ crewName: execution.crew.name, key: keyOf(execution) }, part, outputContent(output).extension, scheme);
}

function isEmpty(output: string | undefined): output is undefined {
  return output === undefined || output.trim() === "";
}
