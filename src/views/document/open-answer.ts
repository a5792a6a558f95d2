import * as vscode from "vscode";
import { partUri } from "../../editor/execution-uri.ts";
import { keyOf, type ExecutionSummary } from "../../executions/model.ts";
import { timeInWords } from "../words.ts";
import type { RawAnswers } from "./answers.ts";
import { renderOutput, shownOutput } from "./output-document.ts";
import type { OutputFiles } from "./output-files.ts";
import { isLarge } from "./outputs.ts";

/** A crew's answer about an execution, as it came. */
export interface RawAnswer {
  readonly text: string;
  /** Status code, where it is not a success. */
  readonly status?: number;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
}

/** Shows a raw answer in an editor of its own, whose name says when it was asked for. @returns its address, or nothing where the person cancelled */
export async function openAnswer(
  answers: RawAnswers,
  files: OutputFiles,
  execution: ExecutionSummary,
  answer: RawAnswer,
): Promise<vscode.Uri | undefined> {
  const { text, status, askedAt } = answer;
  const asked = new Date(askedAt).toISOString();
  // Milliseconds tell two answers of one second apart.
  const time = `${timeInWords(asked).replaceAll(":", ".")}.${asked.slice(-4, -1)}`;
  const part = {
    kind: "answer",
    name: status === undefined ? `status at ${time}` : `status ${status} at ${time}`,
  } as const;
  const shown = shownOutput(text);
  if (isLarge(text)) return await files.open(execution, part, shown);
  const uri = partUri(
    { crewName: execution.crew.name, key: keyOf(execution) },
    part,
    shown.extension,
  );
  answers.keep(uri, renderOutput(text));
  await vscode.window.showTextDocument(uri);
  return uri;
}
