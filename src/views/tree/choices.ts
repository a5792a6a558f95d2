import * as vscode from "vscode";
import type { Rules } from "./arrangement.ts";
import { noFilter, type Filter } from "./filter.ts";
import { groupings, type Grouping } from "./grouping.ts";

/** Where a workspace remembers what its executions are grouped by. */
const groupingKey = "crewdeck.grouping";

/** How the person in this window wants to see the executions. The grouping is remembered with the workspace; a filter is not, since it hides things. */
export class TreeChoices implements vscode.Disposable {
  readonly #memento: Pick<vscode.Memento, "get" | "update">;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  #filter = noFilter;

  constructor(memento: Pick<vscode.Memento, "get" | "update">) {
    this.#memento = memento;
  }

  get rules(): Rules {
    const remembered = this.#memento.get<unknown>(groupingKey);
    return {
      grouping: groupings.find((each) => each === remembered) ?? "crew",
      filter: this.#filter,
    };
  }

  async groupBy(grouping: Grouping): Promise<void> {
    await this.#memento.update(groupingKey, grouping);
    this.#changed.fire();
  }

  setFilter(filter: Filter): void {
    this.#filter = filter;
    this.#changed.fire();
  }

  /** As if the person had never chosen anything. */
  async reset(): Promise<void> {
    await this.#memento.update(groupingKey, undefined);
    this.setFilter(noFilter);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
