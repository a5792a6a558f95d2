import * as l10n from "@vscode/l10n";
import { hasEnded, isLocalCrew, type Execution } from "../../executions/model.ts";
import { cleanText, fencedLines, inlineText } from "./markdown.ts";
import { outputPart } from "./output.ts";
import { resultOf } from "./outputs.ts";
import { resultSection } from "./section-ids.ts";
import type { Part } from "./sections.ts";
import { taskTitle } from "./task.ts";

/**
 * What an execution brought in the end, or what went wrong: what a person looks for first, so that it stands above the inputs. Most
 * crews give the last task's output out once more as their result; that is said in one line and not repeated.
 */
export function resultPart(execution: Execution): Part[] {
  if (!hasEnded(execution)) return [];
  const { state, error } = execution;
  const isLocal = isLocalCrew(execution.crew);
  const heading = `## ${l10n.t("Result")}`;
  const parts: Part[] = [];
  const text = resultOf(execution);
  const source = text === undefined ? undefined : sourceInWords(text, execution);
  if (source !== undefined) parts.push({ id: resultSection, lines: [heading, "", source] });
  else if (text !== undefined) parts.push(outputPart(resultSection, [heading], text, 3));
  else if (state === "completed")
    parts.push({
      id: resultSection,
      lines: [
        heading,
        "",
        isLocal
          ? l10n.t("The crew ended without an output. The local crew's log may say why.")
          : l10n.t("The crew ended without an output. Its own log or dashboard may say why."),
      ],
    });
  if (error !== undefined || state === "failed") {
    const words =
      error === undefined
        ? [l10n.t("The crew does not say what went wrong.")]
        : fencedLines(cleanText(error), "text");
    const far =
      execution.tasks.length === 0 ? [] : [l10n.t("The tasks below show how far it came.")];
    const look = isLocal
      ? l10n.t("Look at the local crew's log for the cause, then kick off again.")
      : l10n.t("Look at the crew's own log or dashboard for the cause, then kick off again.");
    const remedy = [...far, look];
    parts.push({
      id: "error",
      lines: [`## ${l10n.t("Error")}`, "", ...words, "", remedy.join(" ")],
    });
  }
  if (state === "stopped" && parts.length === 0) {
    parts.push({
      id: resultSection,
      lines: [
        heading,
        "",
        l10n.t("It was stopped before it was done. Kick off again to start anew."),
      ],
    });
  }
  return parts;
}

/** Names the task whose last output is the result word for word, the later one of several; nothing where no task's is. */
function sourceInWords(result: string, { tasks }: Execution): string | undefined {
  const words = wordsOf(result);
  const source =
    words === ""
      ? undefined
      : tasks.findLast(({ attempts }) => wordsOf(attempts.at(-1)?.output) === words);
  if (source === undefined) return undefined;
  const task = linkTo(source.taskId);
  const attempt = source.attempts.at(-1)?.number ?? 1;
  return attempt > 1
    ? l10n.t("This is the output of task {0}, attempt {1}, word for word.", task, attempt)
    : l10n.t("This is the output of task {0}, word for word.", task);
}

function wordsOf(output = ""): string {
  return cleanText(output).trim();
}

/** A task's name as a link to its heading, by the anchor that VS Code makes of one; the name alone where it holds marks that anchors leave out. */
function linkTo(taskId: string): string {
  if (!/^[\p{L}\p{N}]+(?:[_-][\p{L}\p{N}]+)*$/u.test(taskId)) return `“${inlineText(taskId)}”`;
  const anchor = taskTitle(taskId)
    .toLowerCase()
    .replace(/\s+/g, "-")
    .replace(/[^\p{L}\p{N}_-]/gu, "");
  return `[${taskId}](#${anchor})`;
}
