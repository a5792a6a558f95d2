import * as vscode from "vscode";
import { setContext } from "../../editor/manifest.ts";
import type { Rules } from "./arrangement.ts";
import { groupings, noFilter, type Filter, type Grouping } from "./arrangement.ts";

import { ExecutionTree, type ExecutionTreeOptions, showMoreCommand } from "./tree.ts";

const groupingKey = "crewdeck.grouping";

/** The grouping is stored with the workspace; the filter isn't, since it hides executions. */
export class TreeChoices implements vscode.Disposable {
  readonly #memento: Pick<vscode.Memento, "get" | "update">;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  #filter = noFilter;

  constructor(memento: Pick<vscode.Memento, "get" | "update">) {
    this.#memento = memento;
  }

  get rules(): Rules {
    const stored = this.#memento.get<unknown>(groupingKey);
    const grouping = groupings.find((each) => each === stored) ?? "crew";
    return { grouping, filter: this.#filter };
  }

  async groupBy(grouping: Grouping): Promise<void> {
    await this.#memento.update(groupingKey, grouping);
    this.#changed.fire();
  }

  setFilter(filter: Filter): void {
    this.#filter = filter;
    this.#changed.fire();
  }

  async reset(): Promise<void> {
    await this.#memento.update(groupingKey, undefined);
    this.setFilter(noFilter);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

export type TreeRoom = ReturnType<typeof registerTree>;

/** The tree doesn't show that it is empty until `opened`. */
export function registerTree(
  { workspaceState }: Pick<vscode.ExtensionContext, "workspaceState">,
  opened: Promise<void>,
  options: Omit<ExecutionTreeOptions, "choices" | "createView">,
) {
  const choices = new TreeChoices(workspaceState);
  const tree = new ExecutionTree({ ...options, choices });
  const setReady = () => setContext("crewdeck.isReady", true);
  opened.then(setReady, setReady);
  const more = vscode.commands.registerCommand(
    showMoreCommand,
    ({ group }: { readonly group: string }) => tree.showMore(group),
  );
  return {
    view: tree.view,
    arrangement: tree.arrangement,
    choices,
    dispose() {
      more.dispose();
      tree.dispose();
      choices.dispose();
    },
  };
}
