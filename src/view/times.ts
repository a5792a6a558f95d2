import * as l10n from "@vscode/l10n";
import { defined } from "../base/json.ts";
import { timeUse, wholeTime } from "../executions/durations.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import { formatSpan } from "./lengths.ts";
import { formatDuration, formatTime, present, startLabel } from "./words.ts";

/** How long a task worked, or all pauses lasted. */
interface ShareView {
  /** Undefined for the pauses. */
  readonly taskId?: string;
  readonly time: string;
  /** Of all, in whole per cent, if the shares can be compared. */
  readonly percent?: number;
}

export interface TimesView {
  readonly lines: readonly string[];
  /** Empty unless there are at least two times. */
  readonly shares: readonly ShareView[];
}

export function timesOf(execution: ExecutionSummary): TimesView {
  const { endedAt } = execution;
  const whole = wholeTime(execution);
  const span = formatSpan((whole?.seconds ?? 0) * 1000);
  return {
    lines: present(
      startLabel(execution),
      endedAt && l10n.t("Finished: {0}", formatTime(endedAt)),
      whole?.isByCrew === true && l10n.t("Duration: {0} (reported by the crew)", span),
      whole?.isByCrew === false && l10n.t("Duration: {0}", span),
    ),
    shares: sharesOf(execution),
  };
}

function sharesOf(execution: ExecutionSummary): readonly ShareView[] {
  const { tasks, waited, percents } = timeUse(execution);
  if (waited === undefined && tasks.filter(({ duration }) => duration !== undefined).length < 2)
    return [];
  const shares = tasks.map(({ taskId, duration }) => ({
    taskId,
    time: duration === undefined ? l10n.t("not known") : formatDuration(duration),
  }));
  const pauses = waited === undefined ? [] : [{ time: formatDuration(waited) }];
  return [...shares, ...pauses].map((share, at) => ({
    ...share,
    ...defined({ percent: percents?.[at] }),
  }));
}
