import * as vscode from "vscode";
import { shortName } from "../base/text.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { titleOf } from "../executions/title.ts";
import { activeOf, theOne, type ActiveExecutions } from "./active.ts";
import { inlineText } from "./document/markdown.ts";
import { progressInFull } from "./words.ts";

/** How many of each kind the tooltip names. */
const named = 5;

/** What {@link StatusBar} draws on; VS Code's item has it all. */
type Item = Pick<
  vscode.StatusBarItem,
  | "text"
  | "tooltip"
  | "name"
  | "command"
  | "backgroundColor"
  | "accessibilityInformation"
  | "show"
  | "hide"
  | "dispose"
>;

/** One item that says how many executions run and how many wait; it is not there while there is neither. A click leads to what waits. */
export class StatusBar implements vscode.Disposable {
  readonly #item: Item;
  readonly #subscription: { dispose(): void };

  constructor(
    store: Pick<ExecutionStore, "list" | "onDidChange">,
    item: Item = vscode.window.createStatusBarItem(
      "crewdeck.active",
      vscode.StatusBarAlignment.Left,
    ),
  ) {
    this.#item = item;
    item.name = "Crewdeck";
    item.command = "crewdeck.showActive";
    const draw = () => this.#draw(activeOf(store.list()));
    this.#subscription = store.onDidChange(draw);
    draw();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#item.dispose();
  }

  #draw(active: ActiveExecutions): void {
    const [running, waiting] = [active.running.length, active.waiting.length];
    if (running + waiting === 0) {
      this.#item.hide();
      return;
    }
    this.#item.text = [
      ...(running === 0 ? [] : [`$(sync~spin) ${running}`]),
      ...(waiting === 0 ? [] : [`$(bell-dot) ${vscode.l10n.t("{0} to review", waiting)}`]),
    ].join(" ");
    this.#item.accessibilityInformation = {
      label: `Crewdeck: ${sentence(running, waiting)}`,
      role: "button",
    };
    this.#item.backgroundColor =
      waiting === 0 ? undefined : new vscode.ThemeColor("statusBarItem.warningBackground");
    this.#item.tooltip = tooltip(active);
    this.#item.show();
  }
}

function sentence(running: number, waiting: number): string {
  const run =
    running === 1
      ? vscode.l10n.t("1 execution is running")
      : vscode.l10n.t("{0} executions are running", running);
  const wait =
    waiting === 1
      ? vscode.l10n.t("1 execution waits for you")
      : vscode.l10n.t("{0} executions wait for you", waiting);
  return [...(running === 0 ? [] : [run]), ...(waiting === 0 ? [] : [wait])].join(", ");
}

/** Text of crews stands in it, so that it is neither trusted nor draws icons. */
function tooltip({ running, waiting }: ActiveExecutions): vscode.MarkdownString {
  const parts = [
    ...list(vscode.l10n.t("Waiting for you"), waiting, ({ waiting: pause }) =>
      pause === undefined
        ? vscode.l10n.t("may be waiting")
        : vscode.l10n.t("at task “{0}”", shortName(pause.taskId)),
    ),
    ...list(vscode.l10n.t("Running"), running, (execution) => progressInFull(execution) ?? ""),
    theOne({ running, waiting }) === undefined
      ? vscode.l10n.t("Click to choose one.")
      : vscode.l10n.t("Click to open it."),
  ];
  return new vscode.MarkdownString(parts.join("\n\n"));
}

function list(
  title: string,
  executions: readonly ExecutionSummary[],
  note: (execution: ExecutionSummary) => string,
): readonly string[] {
  if (executions.length === 0) return [];
  const rows = executions.slice(0, named).map((execution) => {
    const said = [execution.crew.name, note(execution)]
      .filter((text) => text !== "")
      .map(inlineText)
      .join(", ");
    return `- ${inlineText(titleOf(execution))} (${said})`;
  });
  const more = executions.length - rows.length;
  return [
    `**${title}**`,
    [...rows, ...(more === 0 ? [] : [`- ${vscode.l10n.t("and {0} more", more)}`])].join("\n"),
  ];
}
