import * as vscode from "vscode";
import type { LocalEngine } from "../crews/types.ts";
import { confirm, plainLabel } from "../editor/messages.ts";
import { engineNote, type EngineObstacle, type EnginePlan } from "./choose-engine.ts";
import { engineError, isInWorkspace, parallelExecutions, planEngine } from "./engines.ts";
import { exampleFolder, type KnownCrew, type KnownCrews } from "./known-crews.ts";
import { confirmEngineChange } from "./notices.ts";
import type { ServiceOptions } from "./service-process.ts";

interface CrewEnginesOptions {
  readonly known: KnownCrews;
  readonly uriOf: (folder: string) => vscode.Uri;
  readonly hasOpenExecutions: (folder: string) => boolean;
  readonly hasChosenModel: (folder: string) => Promise<boolean>;
  readonly log: (crew: string, line: string) => void;
}

type Named = Pick<KnownCrew, "folder" | "name">;

/** Which engine each local crew of this window runs on, and why. */
export class CrewEngines {
  readonly #options: CrewEnginesOptions;
  /** Of the last start, by folder. */
  readonly #plans = new Map<string, EnginePlan>();

  constructor(options: CrewEnginesOptions) {
    this.#options = options;
  }

  /**
   * For a service that starts. @param isFree another engine than the last one may be taken, unless
   * executions are open or a person chose it. @throws UserError
   */
  async forStart({ folder, name }: Named, isFree: boolean): Promise<ServiceOptions["engine"]> {
    const { known, hasOpenExecutions, log } = this.#options;
    const { engine, isEngineChosen = false } = known.read(folder) ?? {};
    const isKept = !isFree || isEngineChosen || hasOpenExecutions(folder);
    const isWished = isEngineChosen || (isKept && engine === "crewai");
    const wanted = await this.#plan(folder, isWished ? engine : undefined);
    // An execution that began as a rehearsal doesn't begin to cost money.
    const plan: EnginePlan =
      isKept && engine === "rehearsal" && wanted.engine === "crewai" ? { engine } : wanted;
    this.#plans.set(folder, plan);
    if (plan.engine === undefined) {
      known.change(folder, { failure: plan.obstacle.why });
      throw engineError(name, plan.obstacle, `local:${folder}`);
    }
    const note = engineNote(plan);
    const text = note === undefined ? plan.engine : `${plan.engine} – ${note}`;
    log(name, vscode.l10n.t("Engine: {0}", text));
    return plan.engine === "rehearsal"
      ? { engine: plan.engine }
      : { engine: plan.engine, python: plan.python, parallel: parallelExecutions() };
  }

  /** Where crewAI runs, or why it doesn't. */
  noteOf(folder: string): string | undefined {
    const plan = this.#plans.get(folder);
    return plan && engineNote(plan);
  }

  /** Why the crew didn't start with crewAI; undefined if it did, or if a person chose rehearsal. */
  obstacleOf(folder: string): EngineObstacle["kind"] | undefined {
    const plan = this.#plans.get(folder);
    return plan === undefined || plan.engine === "crewai" ? undefined : plan.obstacle?.kind;
  }

  /** Asks which engine a crew is to run on. Undefined if the person cancels. */
  async pick({ folder, name }: Named): Promise<LocalEngine | undefined> {
    const { known, hasOpenExecutions } = this.#options;
    const plan = await this.#plan(folder, "crewai");
    const current = known.read(folder)?.engine ?? "rehearsal";
    const item = (engine: LocalEngine, label: string, detail: string) => ({
      engine,
      label,
      detail,
      ...(engine === current && { description: vscode.l10n.t("current") }),
    });
    const canRehearse = (await this.#plan(folder, "rehearsal")).engine !== undefined;
    const rehearsal = item(
      "rehearsal",
      vscode.l10n.t("Rehearsal"),
      vscode.l10n.t("Order, pauses and callbacks are real; no language model is called."),
    );
    const items = [
      item("crewai", vscode.l10n.t("crewAI"), plainLabel(engineNote(plan) ?? "")),
      ...(canRehearse ? [rehearsal] : []),
    ];
    const title = vscode.l10n.t("Engine of “{0}”", name);
    const chosen = (await vscode.window.showQuickPick(items, { title }))?.engine;
    const isSafe = chosen === current || !hasOpenExecutions(folder);
    return isSafe || (await confirmEngineChange(name)) ? chosen : undefined;
  }

  /** Asks before code from outside the workspace runs. @throws UserError if the engine can't run */
  async allows({ folder, name }: Named, engine: LocalEngine): Promise<boolean> {
    const { known, uriOf } = this.#options;
    const uri = uriOf(folder);
    const plan = await this.#plan(folder, engine);
    if (plan.engine === undefined) throw engineError(name, plan.obstacle, `local:${folder}`);
    if (engine === "rehearsal" || known.read(folder)?.engine === engine) return true;
    if (isInWorkspace(uri) || folder === exampleFolder) return true;
    const question = vscode.l10n.t("Run the code of “{0}”?", name);
    const detail = vscode.l10n.t(
      "Its folder, {0}, is not in this workspace. With crewAI, its Python code runs on this machine. Do so only if you trust it.",
      uri.fsPath,
    );
    return await confirm(question, detail, vscode.l10n.t("Run with crewAI"));
  }

  async #plan(folder: string, wish: LocalEngine | undefined): Promise<EnginePlan> {
    const { uriOf, hasChosenModel } = this.#options;
    const isExample = folder === exampleFolder;
    return await planEngine(uriOf(folder), {
      wish,
      isExample,
      hasChosenModel: () => hasChosenModel(folder),
    });
  }
}
