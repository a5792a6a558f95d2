import * as l10n from "@vscode/l10n";
import { CrewApiError } from "../api/errors.ts";
import { actionsOf, messageOf, UserError } from "../base/errors.ts";
import { isInterrupted, type Crew } from "../crews/types.ts";
import { hasEnded, type ExecutionSummary } from "../executions/model.ts";
import type { Poller } from "../executions/poller.ts";
import type { Doubt } from "../view/actions.ts";

export function doubtOf(
  execution: ExecutionSummary,
  crew: Pick<Crew, "local"> | undefined,
  poller: Pick<Poller, "problemOf">,
): Doubt | undefined {
  const { kickoffIds } = execution;
  const doubt = (short: string, text: string, isLasting = true, needsToken = false): Doubt => ({
    short,
    text: `${text} ${l10n.t("This is the last known state.")}`,
    isLasting,
    ...(needsToken && { needsToken }),
  });
  // A kickoff without a response has its own text.
  if (hasEnded(execution) || kickoffIds.length === 0) return undefined;
  if (crew === undefined)
    return doubt(
      l10n.t("not watched: crew is not connected"),
      l10n.t("“{0}” is not connected.", execution.crew.name),
    );
  if (crew.local?.starting === true)
    return doubt(
      l10n.t("local crew is starting…"),
      l10n.t("The local crew “{0}” is starting.", execution.crew.name),
      false,
    );
  if (crew.local?.running === false)
    return doubt(
      l10n.t("not watched: local crew is stopped"),
      l10n.t("The local crew “{0}” is stopped. Start it to continue.", execution.crew.name),
    );
  if (isInterrupted(crew, kickoffIds))
    return doubt(
      l10n.t("continue or discard it"),
      l10n.t(
        "It was interrupted, and nothing runs now. Continue it, which repeats what was interrupted and can cost money, or discard it.",
      ),
    );
  const problem = poller.problemOf(execution);
  if (problem === undefined) return undefined;
  const needsToken =
    crew.local === undefined &&
    actionsOf(problem).some(({ command }) => command === "crewdeck.setToken");
  if (problem instanceof CrewApiError) {
    const isRefused = problem.kind === "unauthorized" || problem.kind === "forbidden";
    const short = isRefused ? l10n.t("not watched: token refused") : l10n.t("no usable response");
    return doubt(short, messageOf(problem), isRefused, needsToken);
  }
  // Other errors than those for a person may name files.
  const unforeseen = l10n.t(
    "The state could not be requested, or the response could not be stored. See Crewdeck's log.",
  );
  const text = problem instanceof UserError ? problem.message : unforeseen;
  return doubt(l10n.t("not watched: see its page"), text, true, needsToken);
}
