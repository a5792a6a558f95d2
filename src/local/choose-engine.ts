import * as l10n from "@vscode/l10n";
import type { LocalEngine } from "../crews/types.ts";
import type { Interpreter } from "../projects/interpreters.ts";

export interface EngineObstacle {
  readonly kind: "trust" | "outside" | "python" | "crewai" | "model" | "flow" | "tasks";
  /** A sentence for a person. */
  readonly why: string;
}

export type EnginePlan =
  | { readonly engine: "rehearsal"; readonly obstacle?: EngineObstacle }
  | { readonly engine: "crewai"; readonly python: string; readonly version: string }
  /** crewAI is wished for, and can't run. */
  | { readonly engine: undefined; readonly obstacle: EngineObstacle };

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
  const { hasModel, findInterpreter, settingProblem } = question;
  const unless = (obstacle: EngineObstacle): EnginePlan => ({
    engine: wish === undefined && unfit === undefined ? "rehearsal" : undefined,
    obstacle,
  });
  if (wish === "rehearsal")
    return unfit === undefined
      ? { engine: "rehearsal" }
      : unless({
          kind: unfit,
          why:
            unfit === "flow"
              ? l10n.t("A flow can't be rehearsed: only crewAI knows which of its methods run.")
              : l10n.t("This crew can't be rehearsed: only its Python knows all of its tasks."),
        });
  // Before any search: uv asks interpreters in the project about themselves.
  if (!isTrusted)
    return unless({
      kind: "trust",
      why: l10n.t("In Restricted Mode, none of the project's code runs."),
    });
  if (wish === undefined && !isInWorkspace && !isExample)
    return unless({
      kind: "outside",
      why: l10n.t("Its folder is not in this workspace, so its code runs only if you choose so."),
    });
  const found = await findInterpreter();
  if (found?.crewai === undefined) {
    const why =
      found === undefined
        ? l10n.t("No Python was found for the project.")
        : l10n.t("crewAI is not installed for {0}.", found.python);
    const more = await settingProblem();
    return unless({
      kind: found === undefined ? "python" : "crewai",
      why: more === undefined ? why : `${why} ${more}`,
    });
  }
  if (wish === undefined && isExample && !(await hasModel()))
    return unless({
      kind: "model",
      why: l10n.t(
        "crewAI {0} is here, but no model. Choose one for this crew, or set OPENAI_API_KEY, and start the crew again.",
        found.crewai,
      ),
    });
  return { engine: "crewai", python: found.python, version: found.crewai };
}

/** Where crewAI runs, or why it doesn't; undefined if a person chose rehearsal. */
export function engineNote(plan: EnginePlan): string | undefined {
  return plan.engine === "crewai"
    ? l10n.t("crewAI {0}, {1}", plan.version, plan.python)
    : plan.obstacle?.why;
}
