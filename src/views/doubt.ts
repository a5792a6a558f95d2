import * as l10n from "@vscode/l10n";
import { CrewApiError } from "../api/errors.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { isInterrupted, type Crew } from "../crews/types.ts";
import { hasEnded, type ExecutionSummary } from "../executions/model.ts";
import type { Poller } from "../executions/poller.ts";
import type { Doubt } from "../view/actions.ts";

type Reason = readonly [short: string, text: string, isLasting?: boolean];

/** Why the shown state may be out of date. @param crew its crew, if that is connected */
export function doubtOf(
  execution: ExecutionSummary,
  crew: Pick<Crew, "local"> | undefined,
  poller: Pick<Poller, "problemOf">,
): Doubt | undefined {
  if (hasEnded(execution)) return undefined;
  const found = blockedBy(execution, crew) ?? failedAt(poller.problemOf(execution));
  if (found === undefined) return undefined;
  const [short, text, isLasting = true] = found;
  return { short, text: `${text} ${l10n.t("This is the last known state.")}`, isLasting };
}

function blockedBy(
  { crew: { name }, kickoffIds }: ExecutionSummary,
  crew: Pick<Crew, "local"> | undefined,
): Reason | undefined {
  if (kickoffIds.length === 0)
    return [
      "",
      l10n.t(
        "The state can't be requested: the kickoff got no response, so there is no ID to ask for.",
      ),
    ];
  if (crew === undefined)
    return [l10n.t("not watched: crew is not connected"), l10n.t("“{0}” is not connected.", name)];
  if (crew.local?.starting === true)
    return [
      l10n.t("local crew is starting…"),
      l10n.t("The local crew “{0}” is starting.", name),
      false,
    ];
  if (crew.local?.running === false)
    return [
      l10n.t("not watched: local crew is stopped"),
      l10n.t("The local crew “{0}” is stopped. Start it in its row to continue.", name),
    ];
  if (!isInterrupted(crew, kickoffIds)) return undefined;
  return [
    l10n.t("continue or discard it"),
    l10n.t(
      "It was interrupted, and nothing runs now. Continue it, which repeats what was interrupted and can cost money, or discard it.",
    ),
  ];
}

/** Local errors other than those for a person may name files. */
function failedAt(problem: unknown): Reason | undefined {
  if (problem === undefined) return undefined;
  if (problem instanceof CrewApiError) {
    const isLasting = problem.kind === "unauthorized" || problem.kind === "forbidden";
    return [shortProblem(problem), messageOf(problem), isLasting];
  }
  const unforeseen = l10n.t(
    "The state could not be requested, or the response could not be stored. See Crewdeck's log.",
  );
  const text = problem instanceof UserError ? problem.message : unforeseen;
  return [l10n.t("not watched: see its page"), text];
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
