import * as l10n from "@vscode/l10n";
import type { Crew } from "../crews/types.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { hasEnded, type ExecutionSummary } from "../executions/model.ts";
import type { Tracker } from "../executions/tracker.ts";

/** Why what is known of an execution may be out of date. */
export interface Doubt {
  /** Whole sentences: what is wrong, and what the person can do where that is known. */
  readonly words: string;
  /** Asking again helps only after somebody has done something. */
  readonly isLasting: boolean;
}

/** What doubts are taken from. */
export interface DoubtSources {
  readonly crews: { find(id: string): Pick<Crew, "local"> | undefined };
  readonly tracker: Pick<Tracker, "problemOf" | "localProblemOf">;
}

/** What is wrong with what is known of an execution, from what was seen last; nothing where it has ended or its crew answers. Asks nobody. */
export function doubtOf(
  { crews, tracker }: DoubtSources,
  execution: ExecutionSummary,
): Doubt | undefined {
  if (hasEnded(execution)) return undefined;
  const crew = crews.find(execution.crew.id);
  const hindrance = tracker.localProblemOf(execution);
  const problem = tracker.problemOf(execution);
  const lasting = (words: string): Doubt => ({
    words: `${words} ${l10n.t("What is told here is what was known last.")}`,
    isLasting: true,
  });
  if (execution.kickoffIds.length === 0)
    return lasting(
      l10n.t(
        "The crew cannot be asked for this execution: its kickoff was never answered with an ID.",
      ),
    );
  if (crew === undefined)
    return lasting(l10n.t("“{0}” is not connected, so it is not asked.", execution.crew.name));
  if (crew.local?.running === false)
    return lasting(
      l10n.t("The local crew “{0}” is stopped, so it is not asked.", execution.crew.name),
    );
  // Other errors of this machine may name its files.
  if (hindrance !== undefined)
    return lasting(
      hindrance instanceof UserError
        ? hindrance.message
        : l10n.t(
            "The crew could not be asked, or its answer could not be kept. Crewdeck's log tells why.",
          ),
    );
  if (problem === undefined) return undefined;
  return {
    ...lasting(messageOf(problem)),
    isLasting: problem.kind === "unauthorized" || problem.kind === "forbidden",
  };
}
