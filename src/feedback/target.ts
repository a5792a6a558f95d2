import * as l10n from "@vscode/l10n";
import { hostOf, shortAddress } from "../api/address.ts";
import { givenCallbacks } from "../api/callbacks.ts";
import type { Execution, ExecutionSummary } from "../executions/model.ts";
import { attemptToAnswer } from "../executions/resumes.ts";
import type { FeedbackToSend } from "../sending/feedback.ts";
import type { DraftTarget } from "./drafts.ts";

export type FeedbackSubject = Omit<FeedbackToSend, "text">;

interface TaskOfExecution {
  readonly execution: ExecutionSummary;
  readonly taskId: string;
}

/** The output that feedback is for, as the person saw the execution. */
export function targetOf({ execution, taskId }: TaskOfExecution): DraftTarget {
  return { localId: execution.localId, taskId, attempt: attemptToAnswer(execution, taskId) };
}

export function isSameTarget(one: TaskOfExecution, other: TaskOfExecution): boolean {
  const [a, b] = [targetOf(one), targetOf(other)];
  return a.localId === b.localId && a.taskId === b.taskId && a.attempt === b.attempt;
}

export function crewAndAddress({ crew }: Pick<Execution, "crew">): string {
  return `“${crew.name}” (${shortAddress(crew.url)})`;
}

/** Crews don't keep callbacks for a resume (specification). Hosts only: a path can be a secret. */
export function callbacksAgain({ request }: Pick<Execution, "request">): readonly string[] {
  const labels = {
    taskWebhookUrl: l10n.t("task"),
    stepWebhookUrl: l10n.t("step"),
    crewWebhookUrl: l10n.t("crew"),
    humanInputWebhookUrl: l10n.t("human input"),
    webhooks: l10n.t("events"),
  };
  const given = givenCallbacks(request?.callbacks ?? {});
  return given.map(({ name, address }) => `${labels[name]} → ${hostOf(address)}`);
}
