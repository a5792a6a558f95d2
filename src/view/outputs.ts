import { cleanText, jsonText, withoutCommands } from "./markdown.ts";
import type { Rendered } from "./sections.ts";
import { type Execution, isRehearsalOutput } from "../executions/model.ts";
import { taskIn } from "../executions/tasks.ts";

/** Bytes of UTF-8 above which an output opens as a file. */
const large = 1_000_000;

export interface Output {
  readonly part:
    | { readonly kind: "result" }
    | { readonly kind: "attempt"; readonly taskId: string; readonly attempt: number };
  readonly output: string;
}

/** Without empty ones, in the document's order. */
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
  if (part.kind === "result") return execution.output;
  const task = taskIn(execution.tasks, part.taskId);
  return task?.attempts.find(({ number }) => number === part.attempt)?.output;
}

export function isLarge(output: string): boolean {
  return output.length > large / 4 && Buffer.byteLength(output) > large;
}

interface OutputContent {
  readonly extension: "md" | "json";
  readonly text: string;
}

/** JSON, also in a code block around the whole output, is formatted; anything else is Markdown. */
export function outputContent(output: string): OutputContent {
  const json = jsonText(unfenced(output));
  return json === undefined
    ? { extension: "md", text: output }
    : { extension: "json", text: `${json}\n` };
}

/** The content of a JSON code block around the whole output, which models often add. */
function unfenced(output: string): string {
  const text = output.trim();
  const [opening, fence] = /^(`{3,}|~{3,})[ \t]*(?:json)?[ \t]*\r?\n/i.exec(text) ?? [];
  if (opening === undefined || fence === undefined || !text.endsWith(fence)) return output;
  const inside = text.slice(opening.length, -fence.length);
  return /\n[ \t]*$/.test(inside.slice(-100)) ? inside : output;
}

/** The output as an editor shows it, without links that run a command. */
export function shownOutput(output: string): OutputContent {
  const { extension, text } = outputContent(output);
  // Keep spaces at the end of the last line: in a diff, a line must not depend on the next one.
  const whole = withoutBlankEnd(cleanText(text));
  const shown = `${isRehearsalOutput(output) ? whole.replace(/(\S)[ \t]*$/gm, "$1  ") : whole}\n`;
  return { extension, text: extension === "md" ? withoutCommands(shown) : shown };
}

function withoutBlankEnd(text: string): string {
  const end = text.indexOf("\n", text.trimEnd().length);
  return end === -1 ? text : text.slice(0, end);
}

/** No sections: the text never changes. */
export function renderOutput(output: string): Rendered {
  const { text } = shownOutput(output);
  return { text, sections: [], lineCount: text.split("\n").length, strong: [] };
}
