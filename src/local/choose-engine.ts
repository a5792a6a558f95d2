import * as l10n from "@vscode/l10n";
import type { EngineObstacle, LocalEngine } from "../crews/types.ts";
import type { Interpreter } from "../projects/interpreters.ts";

export interface EnginePlan {
  readonly engine: LocalEngine | undefined;
  /** Where crewAI runs, or a sentence why it doesn't; undefined if a person chose rehearsal. */
  readonly note?: string;
  readonly obstacle?: EngineObstacle;
  readonly python?: string;
}

export interface EngineQuestion {
  readonly wish: LocalEngine | undefined;
  readonly isTrusted: boolean;
  readonly isInWorkspace: boolean;
  /** The one that comes with Crewdeck: its code is trusted, but it names no model. */
  readonly isExample: boolean;
  readonly isUnfit: boolean;
  /** Whether a person or the environment names a model for it, or has the key of one. */
  readonly hasModel: () => Promise<boolean>;
  readonly findInterpreter: () => Promise<Interpreter | undefined>;
  readonly advice: () => Promise<readonly string[]>;
}

/** crewAI if it can run, else rehearsal; a wish for crewAI, and what can't be rehearsed, is never replaced by rehearsal. */
export async function chooseEngine(question: EngineQuestion): Promise<EnginePlan> {
  const { wish, isTrusted, isInWorkspace, isExample, isUnfit } = question;
  const engine = wish === undefined && !isUnfit ? "rehearsal" : undefined;
  if (wish === "rehearsal") {
    if (!isUnfit) return { engine: wish };
    const note = l10n.t("It can't be rehearsed: only its Python knows what runs.");
    return { engine, note };
  }
  // Before any search: uv asks interpreters in the project about themselves.
  if (!isTrusted) {
    const note = l10n.t("In Restricted Mode, none of the project's code runs.");
    return { engine, obstacle: "trust", note };
  }
  if (wish === undefined && !isInWorkspace && !isExample) {
    const note = l10n.t(
      "Its folder is not in this workspace, so its code runs only if you choose so.",
    );
    return { engine, note };
  }
  const { python, crewai } = (await question.findInterpreter()) ?? {};
  if (python === undefined || crewai === undefined) {
    const why =
      python === undefined
        ? l10n.t("No Python was found for the project.")
        : l10n.t("crewAI is not installed for {0}.", python);
    const note = [why, ...(await question.advice())].join(" ");
    return { engine, obstacle: "crewai", note };
  }
  if (wish === undefined && isExample && !(await question.hasModel())) {
    const note = l10n.t(
      "crewAI {0} is here, but no model. Choose one for this crew, or set OPENAI_API_KEY, and start the crew again.",
      crewai,
    );
    return { engine, obstacle: "model", note };
  }
  return { engine: "crewai", python, note: l10n.t("crewAI {0}, {1}", crewai, python) };
}
