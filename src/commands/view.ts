import * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import { UserError } from "../base/errors.ts";
import { without } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { askForFilter, askForGrouping } from "../views/tree/ask.ts";
import {
  groupings,
  groupStates,
  noFilter,
  type Filter,
  type Grouping,
} from "../views/tree/grouping.ts";
import type { TreeRoom } from "../views/tree/register.ts";
import { recordOf, stringOf } from "./arguments.ts";
import { chooseExecution } from "./choose.ts";
import type { Command } from "./table.ts";

/** What the commands about the view of executions work with. */
export interface ViewParts {
  readonly crews: Crews;
  readonly store: ExecutionStore;
  readonly tree: Pick<TreeRoom, "arrangement" | "choices" | "showMore">;
}

/** Commands by which a person arranges the view. `groupExecutions` takes `{by}`, `filterExecutions` `{text?, states?}`; both return what is set then. */
export function viewCommands({
  crews,
  store,
  tree: { arrangement, choices, showMore },
}: ViewParts): readonly Command[] {
  const pin = (id: string, isPinned: boolean): Command => ({
    id,
    async run(argument) {
      const execution = await chooseExecution(
        store,
        crews,
        argument,
        ({ pinned }) => (pinned === true) !== isPinned,
      );
      if (execution === undefined) return;
      store.update(execution.localId, (current) =>
        isPinned ? { ...current, pinned: true } : without(current, "pinned"),
      );
    },
  });
  return [
    {
      id: "groupExecutions",
      async run(argument) {
        const by = groupingIn(argument) ?? (await askForGrouping(choices.rules.grouping));
        if (by !== undefined) await choices.groupBy(by);
        return by;
      },
    },
    {
      id: "filterExecutions",
      async run(argument) {
        const filter = filterIn(argument) ?? (await askForFilter(arrangement));
        if (filter !== undefined) choices.setFilter(filter);
        return filter;
      },
    },
    {
      id: "takeTour",
      run: () =>
        vscode.commands.executeCommand(
          "workbench.action.openWalkthrough",
          "crewdeck.crewdeck#start",
          false,
        ),
    },
    {
      id: "clearFilter",
      run() {
        choices.setFilter(noFilter);
      },
    },
    {
      id: "showMore",
      async run(argument) {
        const group = stringOf(recordOf(argument), "group");
        if (group !== undefined) await showMore(group);
      },
    },
    pin("pinExecution", true),
    pin("unpinExecution", false),
  ];
}

function groupingIn(argument: unknown): Grouping | undefined {
  const by = stringOf(recordOf(argument), "by");
  const found = groupings.find((each) => each === by);
  if (by !== undefined && found === undefined)
    throw new UserError(vscode.l10n.t("“{0}” must be one of {1}.", "by", groupings.join(", ")));
  return found;
}

/** The filter that an argument names; nothing where it names none. */
function filterIn(argument: unknown): Filter | undefined {
  const given = recordOf(argument);
  const text = stringOf(given, "text");
  const names: unknown = given["states"];
  if (text === undefined && names === undefined) return undefined;
  if (
    names !== undefined &&
    !(Array.isArray(names) && names.every((name) => groupStates.some((each) => each === name)))
  ) {
    throw new UserError(
      vscode.l10n.t("“{0}” must be a list of {1}.", "states", groupStates.join(", ")),
    );
  }
  return {
    text: text ?? "",
    states: groupStates.filter((each) => Array.isArray(names) && names.includes(each)),
  };
}
