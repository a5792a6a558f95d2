import * as l10n from "@vscode/l10n";
import { defined } from "../../base/json.ts";
import type { Step } from "../../executions/steps.ts";
import { formatSpan, interruptedLabel, present } from "../labels.ts";
import type { PageStep } from "./messages.ts";

/** Steps of an attempt on the page: the last ones. */
const most = 100;

/** What agents did in one attempt of a task. */
export function stepsIn(
  all: readonly Step[],
  taskId: string,
  attempt: number,
): { readonly steps: readonly PageStep[]; readonly hiddenSteps: number } {
  const own = all.filter((step) => step.taskId === taskId && attemptOf(step) === attempt);
  const hidden = Math.max(0, own.length - most);
  return { steps: own.slice(hidden).map(pageStep), hiddenSteps: hidden };
}

/** Attempts with steps, which may have no output yet. */
export function attemptsWithSteps(all: readonly Step[], taskId: string): readonly number[] {
  const own = all.filter((step) => step.taskId === taskId);
  return [...new Set(own.map(attemptOf))];
}

/** A task that was done once has no numbers in its events. */
function attemptOf({ attempt = 1 }: Step): number {
  return attempt;
}

function pageStep(step: Step): PageStep {
  const { id, start, end, isInterrupted, tool, thought, result, error, picture } = step;
  const time = end !== undefined && tool !== undefined && formatSpan(end - start, "fine");
  return {
    id,
    title: tool ?? (picture === undefined ? l10n.t("Thought") : l10n.t("Picture")),
    isTool: tool !== undefined,
    state: error !== undefined ? "failed" : end === undefined ? "running" : "completed",
    facts: present(isInterrupted && interruptedLabel(), time).join(" · "),
    ...(picture !== undefined && { hasPicture: true }),
    ...defined({ thought, arguments: step.arguments, result, error }),
  };
}
