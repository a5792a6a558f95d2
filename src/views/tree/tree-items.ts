import { isDeepStrictEqual } from "node:util";
import * as vscode from "vscode";
import { viewId } from "../../editor/manifest.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import type { Arrangement } from "./arrangement.ts";
import type { CrewTokenStates } from "./crew-token-states.ts";
import { executionRow, taskRow } from "./execution-rows.ts";
import { crewGroup, partsOf } from "./grouping.ts";
import { idOf, showAttempt, type TreeNode } from "./nodes.ts";
import { crewRow, goneCrewRow, groupRow, hintRow, moreRow, type Row } from "./rows.ts";
import type { ExecutionTreeOptions } from "./tree.ts";

type Sources = Pick<ExecutionTreeOptions, "store" | "tracker" | "circumstances" | "clock">;

export class TreeItems {
  readonly #sources: Sources;
  readonly #arrangement: Arrangement;
  readonly #tokens: CrewTokenStates;

  constructor(sources: Sources, arrangement: Arrangement, tokens: CrewTokenStates) {
    this.#sources = sources;
    this.#arrangement = arrangement;
    this.#tokens = tokens;
  }

  /** Without tooltip; undefined if its subject is gone. */
  item(node: TreeNode, state: vscode.TreeItemCollapsibleState): vscode.TreeItem | undefined {
    const row = this.#row(node);
    if (row === undefined) return undefined;
    const { id, color } = row.icon;
    const command = commandOf(node);
    return Object.assign(new vscode.TreeItem(row.label, state), {
      id: idOf(node),
      description: row.description,
      iconPath: new vscode.ThemeIcon(id, color ? new vscode.ThemeColor(color) : undefined),
      contextValue: row.facts,
      accessibilityInformation: { label: row.sentence },
      ...(command && { command: { ...command, arguments: [node] } }),
    });
  }

  /** The first line is a heading. */
  tooltip(node: TreeNode): vscode.MarkdownString | undefined {
    const [first = "", ...lines] = this.#row(node)?.tooltip ?? [];
    return first === ""
      ? undefined
      : new vscode.MarkdownString(`**${escaped(first)}**\n\n${lines.map(escaped).join("  \n")}`);
  }

  /** A needless update of a row can lose a click on it. */
  looksDifferent(before: ExecutionSummary, after: ExecutionSummary): boolean {
    const now = this.#sources.clock.now();
    const circumstances = this.#sources.circumstances.of(after);
    const rows = (execution: ExecutionSummary) => [
      executionRow(execution, now, circumstances),
      execution.tasks.map((task) => taskRow(task, execution, circumstances)),
    ];
    return !isDeepStrictEqual(rows(before), rows(after));
  }

  #row(node: TreeNode): Row | undefined {
    const { store, tracker, circumstances, clock } = this.#sources;
    const { connected } = circumstances;
    switch (node.kind) {
      case "crew": {
        const crew = connected.get(node.crew);
        const parked = tracker.parkedCrews().get(node.crew);
        if (crew !== undefined)
          return crewRow(crew, { parked, tokens: this.#tokens.of(node.crew) });
        const some = this.#arrangement.members(crewGroup(node.crew))[0];
        return some && goneCrewRow(some.crew);
      }
      case "group": {
        const size = this.#arrangement.members(node.group).length;
        return groupRow(node.group, size, clock.now(), vscode.env.language);
      }
      case "hint":
        return hintRow(connected.get(node.crew)?.local?.running === false);
      case "more":
        return moreRow(this.#arrangement.moreOf(node.group));
      case "execution":
      case "task": {
        const execution = store.summary(node.localId);
        if (execution === undefined) return undefined;
        showAttempt(node, execution);
        const known = circumstances.of(execution);
        if (node.kind === "execution")
          return executionRow(execution, clock.now(), known, partsOf(node.group).kind);
        const task = execution.tasks.find(({ taskId }) => taskId === node.taskId);
        return task && taskRow(task, execution, known);
      }
    }
  }
}

/** Only of rows, so it is in no menu. */
export const showMoreCommand = `${viewId}.showMore`;

function commandOf({ kind }: TreeNode): vscode.Command | undefined {
  if (kind === "crew" || kind === "group") return undefined;
  if (kind === "hint") return { title: vscode.l10n.t("Kick Off…"), command: "crewdeck.kickoff" };
  if (kind === "more") return { title: vscode.l10n.t("Show More"), command: showMoreCommand };
  return { title: vscode.l10n.t("Open Execution"), command: "crewdeck.openExecution" };
}

/** Escapes all ASCII punctuation in remote text; `appendText` would make spaces non-breaking. */
function escaped(text: string): string {
  return text.trim().replace(/[!-/:-@[-`{-~]/g, "\\$&");
}
