import * as vscode from "vscode";
import type { Execution } from "../../executions/model.ts";
import { shownOutput } from "./output-document.ts";
import type { OutputFiles } from "./output-files.ts";
import { uriOfPart } from "./output-uri.ts";
import { isLarge, type Output } from "./outputs.ts";

/** Shows one output in an editor of its own: a read-only document, or a file where it is large. @returns its address, or nothing where the person cancelled */
export async function openOutput(
  files: OutputFiles,
  execution: Execution,
  { part, output }: Output,
): Promise<vscode.Uri | undefined> {
  if (isLarge(output)) return await files.open(execution, part, shownOutput(output));
  const uri = uriOfPart(execution, part);
  if (uri !== undefined) await vscode.window.showTextDocument(uri);
  return uri;
}
