import * as l10n from "@vscode/l10n";
import type { LocalEngine } from "../crews/types.ts";
import type { Interpreter } from "../projects/interpreters.ts";

export interface EnginePlan {
  /** Undefined if the one that is wished for can't run. */
  readonly engine: LocalEngine | undefined;
  /** Where crewAI runs, or a sentence why it doesn't; undefined if a person chose rehearsal. */
  readonly note?: string;
  /** Why crewAI doesn't run, or, for a person who wants rehearsal, why not that. */
  readonly obstacle?: "trust" | "outside" | "python" | "crewai" | "model" | "flow" | "tasks";
  readonly python?: string;
}

export interface EngineQuestion {
  /** What a person chose, or what the crew's open executions run on. */
  readonly wish: LocalEngine | undefined;
  readonly isTrusted: boolean;
  readonly isInWorkspace: boolean;
  /** The one that comes with Crewdeck: its code is trusted, but it names no model. */
  readonly isExample: boolean;
  /** Why it can't be rehearsed. */
  readonly unfit: "flow" | "tasks" | undefined;
  /** Whether a person or the environment names a model for it, or has the key of one. */
  readonly hasModel: () => Promise<boolean>;
  readonly findInterpreter: () => Promise<Interpreter | undefined>;
  /** What is wrong with the setting `crewdeck.python`; undefined if nothing is. */
  readonly settingProblem: () => Promise<string | undefined>;
}

/** crewAI if it can run, else rehearsal; a wish for crewAI, and what can't be rehearsed, is never replaced by rehearsal. */
export async function chooseEngine(question: EngineQuestion): Promise<EnginePlan> {
  const { wish, isTrusted, isInWorkspace, isExample, unfit } = question;
  const instead = wish === undefined && unfit === undefined ? "rehearsal" : undefined;
  const unless = (obstacle: EnginePlan["obstacle"] & string, note: string): EnginePlan => ({
    ...{ engine: instead, obstacle, note },
  });
  if (wish === "rehearsal" && unfit === undefined) return { engine: "rehearsal" };
  if (wish === "rehearsal" && unfit === "flow")
    return unless(
      unfit,
      l10n.t("A flow can't be rehearsed: only crewAI knows which of its methods run."),
    );
  if (wish === "rehearsal")
    return unless(
      "tasks",
      l10n.t("This crew can't be rehearsed: only its Python knows all of its tasks."),
    );
  // Before any search: uv asks interpreters in the project about themselves.
  if (!isTrusted)
    return unless("trust", l10n.t("In Restricted Mode, none of the project's code runs."));
  if (wish === undefined && !isInWorkspace && !isExample)
    return unless(
      "outside",
      l10n.t("Its folder is not in this workspace, so its code runs only if you choose so."),
    );
  const { python, crewai } = (await question.findInterpreter()) ?? {};
  if (python === undefined || crewai === undefined) {
    const why =
      python === undefined
        ? l10n.t("No Python was found for the project.")
        : l10n.t("crewAI is not installed for {0}.", python);
    const more = await question.settingProblem();
    return unless(
      python === undefined ? "python" : "crewai",
      more === undefined ? why : `${why} ${more}`,
    );
  }
  if (wish === undefined && isExample && !(await question.hasModel()))
    return unless(
      "model",
      l10n.t(
        "crewAI {0} is here, but no model. Choose one for this crew, or set OPENAI_API_KEY, and start the crew again.",
        crewai,
      ),
    );
  return { engine: "crewai", python, note: l10n.t("crewAI {0}, {1}", crewai, python) };
}
