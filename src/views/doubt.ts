import * as l10n from "@vscode/l10n";
import type { CrewApiError } from "../api/errors.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { isInterrupted, type Crew } from "../crews/types.ts";
import { hasEnded, type ExecutionSummary } from "../executions/model.ts";
import type { Tracker } from "../executions/tracker.ts";

export interface DoubtSources {
  readonly crews: { find(id: string): Pick<Crew, "local"> | undefined };
  readonly tracker: Pick<Tracker, "problemOf" | "localProblemOf">;
}

/** Why the shown state may be out of date. Polling again doesn't solve a lasting problem. */
export function doubtOf(
  sources: DoubtSources,
  execution: ExecutionSummary,
): { readonly text: string; readonly isLasting: boolean } | undefined {
  if (hasEnded(execution)) return undefined;
  const problem = sources.tracker.problemOf(execution);
  const blocked = blockedBy(sources, execution);
  const reason = blocked ?? (problem && messageOf(problem));
  if (reason === undefined) return undefined;
  const isStarting = sources.crews.find(execution.crew.id)?.local?.starting === true;
  const isRefused = problem?.kind === "unauthorized" || problem?.kind === "forbidden";
  const text = `${reason} ${l10n.t("This is the last known state.")}`;
  return { text, isLasting: (blocked !== undefined && !isStarting) || isRefused };
}

function blockedBy({ crews, tracker }: DoubtSources, execution: ExecutionSummary) {
  const { name, id } = execution.crew;
  if (execution.kickoffIds.length === 0)
    return l10n.t(
      "The state can't be requested: the kickoff got no response, so there is no ID to ask for.",
    );
  const crew = crews.find(id);
  if (crew === undefined) return l10n.t("“{0}” is not connected.", name);
  if (crew.local?.starting === true) return l10n.t("The local crew “{0}” is starting.", name);
  if (crew.local?.running === false) return l10n.t("The local crew “{0}” is stopped.", name);
  if (isInterrupted(crew, execution.kickoffIds))
    return l10n.t(
      "It was interrupted, and nothing runs now. Continue it, which repeats what was interrupted and can cost money, or discard it.",
    );
  const error = tracker.localProblemOf(execution);
  if (error === undefined) return undefined;
  // Other local errors may name files.
  return error instanceof UserError
    ? error.message
    : l10n.t(
        "The state could not be requested, or the response could not be stored. See Crewdeck's log.",
      );
}

export function shortProblem({ kind, status, tokenType }: CrewApiError): string {
  switch (kind) {
    case "unauthorized":
      if (tokenType === "bearer") return l10n.t("organisation's token refused");
      return tokenType ? l10n.t("user's token refused") : l10n.t("token refused");
    case "forbidden":
      return tokenType === "userBearer"
        ? l10n.t("user's token may lack the right")
        : l10n.t("not allowed");
    case "unreachable":
      return l10n.t("crew unreachable");
    case "timeout":
      return l10n.t("no response");
    case "rateLimited":
      return l10n.t("crew asks to wait");
    case "redirected":
      return l10n.t("redirected");
    default:
      return status === undefined
        ? l10n.t("invalid response")
        : l10n.t("crew responds with {0}", status);
  }
}
