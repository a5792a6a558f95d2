import type * as vscode from "vscode";
import { partUri, type ExecutionPart } from "../../editor/execution-uri.ts";
import { keyOf, type Execution } from "../../executions/model.ts";
import { outputContent } from "./content.ts";
import { outputOf } from "./outputs.ts";

/** The address of the document of one attempt of a task; its text never changes. Nothing where the output is not known. */
export function outputUri(
  execution: Execution,
  taskId: string,
  attempt: number,
  scheme?: string,
): vscode.Uri | undefined {
  return uriOfPart(execution, { kind: "attempt", taskId, attempt }, scheme);
}

/** The address of the document of a part of an execution; nothing where its output is not known. */
export function uriOfPart(
  execution: Execution,
  part: ExecutionPart,
  scheme?: string,
): vscode.Uri | undefined {
  const output = outputOf(execution, part);
  if (output === undefined) return undefined;
  return partUri(
    { crewName: execution.crew.name, key: keyOf(execution) },
    part,
    outputContent(output).extension,
    scheme,
  );
}
