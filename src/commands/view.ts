import * as vscode from "vscode";
import { messageOf, UserError } from "../base/errors.ts";
import { oneOf, recordOf, stringOf } from "../editor/arguments.ts";
import { hasContext, type ContextKey } from "../editor/manifest.ts";
import { log } from "../editor/log.ts";
import { askForFilter, askForGrouping } from "../views/tree/ask.ts";
import { groupings, groupStates, noFilter, type Filter } from "../views/tree/grouping.ts";
import type { TreeRoom } from "../views/tree/register.ts";
import type { Commands } from "./table.ts";

/** Grouping takes `{by}`, filtering `{text?, states?}`; both return what is set. */
export function viewCommands({
  tree: { arrangement, choices },
}: Record<"tree", Pick<TreeRoom, "arrangement" | "choices">>): Commands {
  return {
    async groupExecutions(argument) {
      const by =
        oneOf(recordOf(argument), "by", groupings) ??
        (await askForGrouping(choices.rules.grouping));
      if (by !== undefined) await choices.groupBy(by);
      return by;
    },
    async filterExecutions(argument) {
      const filter = filterIn(argument) ?? (await askForFilter(arrangement));
      if (filter !== undefined) choices.setFilter(filter);
      return filter;
    },
    clearFilter: () => choices.setFilter(noFilter),
    async takeTour() {
      for (const [step, ...keys] of tourSteps) if (keys.some(hasContext)) await markDone(step);
      await vscode.commands.executeCommand(
        "workbench.action.openWalkthrough",
        "crewdeck.crewdeck#start",
        false,
      );
    },
  };
}

const tourSteps: readonly (readonly [step: string, ...keys: ContextKey[]])[] = [
  ["connect", "crewdeck.hasCrews"],
  ["kickoff", "crewdeck.hasExecutions"],
  ["read", "crewdeck.hasRead", "crewdeck.hasAnswered"],
  ["answer", "crewdeck.hasAnswered"],
];

/**
 * When VS Code first opens a walkthrough in a window, it ignores context keys that are already set
 * (observed in 1.139).
 */
async function markDone(step: string): Promise<void> {
  try {
    const id = `crewdeck.crewdeck#start#${step}`;
    await vscode.commands.executeCommand("welcome.markStepComplete", id);
  } catch (error) {
    // For a walkthrough that isn't loaded, it stores the step and then fails (observed in 1.139).
    log.debug(`Completing the step ${step}: ${messageOf(error)}`);
  }
}

function filterIn(argument: unknown): Filter | undefined {
  const given = recordOf(argument);
  const text = stringOf(given, "text");
  const { states } = given;
  if (text === undefined && states === undefined) return undefined;
  const names: readonly unknown[] | undefined =
    states === undefined ? [] : Array.isArray(states) ? states : undefined;
  if (names === undefined || !names.every((name) => groupStates.some((each) => each === name)))
    throw new UserError(
      vscode.l10n.t("“{0}” must be a list of {1}.", "states", groupStates.join(", ")),
    );
  return { text: text ?? "", states: groupStates.filter((each) => names.includes(each)) };
}
