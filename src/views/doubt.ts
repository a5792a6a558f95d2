import * as l10n from "@vscode/l10n";
import type { CrewApiError } from "../api/errors.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { isInterrupted, type Crew } from "../crews/types.ts";
import { hasEnded, type ExecutionSummary } from "../executions/model.ts";
import type { Poller } from "../executions/poller.ts";
import type { Doubt } from "../view/actions.ts";

export interface DoubtSources {
  readonly crews: { find(id: string): Pick<Crew, "local"> | undefined };
  readonly poller: Pick<Poller, "problemOf" | "localProblemOf">;
}

/** Why the shown state may be out of date. */
export function doubtOf(sources: DoubtSources, execution: ExecutionSummary): Doubt | undefined {
  if (hasEnded(execution)) return undefined;
  const doubt = blockedBy(sources, execution) ?? failedAt(sources, execution);
  const last = l10n.t("This is the last known state.");
  return doubt && { ...doubt, text: `${doubt.text} ${last}` };
}

function blockedBy({ crews, poller }: DoubtSources, execution: ExecutionSummary) {
  const { name, id } = execution.crew;
  const because = (short: string, text: string, isLasting = true): Doubt => ({
    short,
    text,
    isLasting,
  });
  if (execution.kickoffIds.length === 0)
    return because(
      "",
      l10n.t(
        "The state can't be requested: the kickoff got no response, so there is no ID to ask for.",
      ),
    );
  const crew = crews.find(id);
  if (crew === undefined)
    return because(
      l10n.t("not watched: crew is not connected"),
      l10n.t("“{0}” is not connected.", name),
    );
  if (crew.local?.starting === true)
    return because(
      l10n.t("local crew is starting…"),
      l10n.t("The local crew “{0}” is starting.", name),
      false,
    );
  if (crew.local?.running === false)
    return because(
      l10n.t("not watched: local crew is stopped"),
      l10n.t("The local crew “{0}” is stopped.", name),
    );
  if (isInterrupted(crew, execution.kickoffIds))
    return because(
      l10n.t("continue or discard it"),
      l10n.t(
        "It was interrupted, and nothing runs now. Continue it, which repeats what was interrupted and can cost money, or discard it.",
      ),
    );
  const error = poller.localProblemOf(execution);
  if (error === undefined) return undefined;
  // Other local errors may name files.
  const text =
    error instanceof UserError
      ? error.message
      : l10n.t(
          "The state could not be requested, or the response could not be stored. See Crewdeck's log.",
        );
  return because(l10n.t("not watched: see its page"), text);
}

function failedAt({ poller }: DoubtSources, execution: ExecutionSummary): Doubt | undefined {
  const problem = poller.problemOf(execution);
  if (problem === undefined) return undefined;
  const isLasting = problem.kind === "unauthorized" || problem.kind === "forbidden";
  return { short: shortProblem(problem), text: messageOf(problem), isLasting };
}

function shortProblem({ kind, status, tokenType }: CrewApiError): string {
  switch (kind) {
    case "unauthorized":
      return l10n.t("not watched: token refused");
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
