import * as v from "valibot";
import * as vscode from "vscode";
import { messageOf, NothingToDo, UserError } from "../base/errors.ts";
import { flag, oneOf, read, readTarget, text } from "../editor/arguments.ts";
import { activeDocument } from "../editor/execution-uri.ts";
import { hasContext, type ContextKey } from "../editor/manifest.ts";
import { log } from "../editor/log.ts";
import { showStatus } from "../editor/messages.ts";
import { toReview } from "../executions/model.ts";
import { askForFilter, askForGrouping } from "../views/tree/ask.ts";
import { groupings, groupStates, noFilter, type Filter } from "../views/tree/grouping.ts";
import type { TreeRoom } from "../views/tree/register.ts";
import { nextToReview } from "../views/waiting.ts";
import { findExecution, namesOf } from "./choose.ts";
import type { CommandParts, Commands } from "./commands.ts";

type ViewParts = Pick<CommandParts, "store" | "documents"> & {
  readonly crews: Pick<CommandParts["crews"], "find">;
  readonly tree: Pick<TreeRoom, "arrangement" | "choices">;
};

/**
 * Grouping takes `{by}`, filtering `{text?, states?}`; both return what is set. `nextToReview` takes
 * `{back?}`, and returns the execution that it opened.
 */
export function viewCommands(parts: ViewParts): Commands {
  const { arrangement, choices } = parts.tree;
  return {
    nextToReview: (argument) => openNext(parts, read({ back: flag }, argument).back ? -1 : 1),
    async groupExecutions(argument) {
      const { by = await askForGrouping(choices.rules.grouping) } = read(
        { by: oneOf(groupings) },
        argument,
      );
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

async function openNext({ store, crews, documents }: ViewParts, step: 1 | -1) {
  const all = store.list();
  if (toReview(all).length === 0)
    throw new NothingToDo(vscode.l10n.t("No execution waits for you."));
  const current = findExecution(store, crews, readTarget(activeDocument()))?.localId;
  const next = nextToReview(all, current, step);
  if (next === undefined) {
    showStatus(vscode.l10n.t("Nothing else waits for you."));
    return undefined;
  }
  await documents.show(next);
  return namesOf(next);
}

const states = v.array(v.picklist(groupStates));

function filterIn(argument: unknown): Filter | undefined {
  const given = read({ text, states: v.exactOptional(v.unknown()) }, argument);
  if (given.text === undefined && given.states === undefined) return undefined;
  const named = v.safeParse(states, given.states ?? []);
  if (!named.success)
    throw new UserError(
      vscode.l10n.t("“{0}” must be a list of {1}.", "states", groupStates.join(", ")),
    );
  return {
    text: given.text ?? "",
    states: groupStates.filter((each) => named.output.includes(each)),
  };
}
