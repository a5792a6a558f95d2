import * as vscode from "vscode";
import { setContext } from "../../editor/context.ts";
import { TreeChoices } from "./choices.ts";
import { ExecutionTree, type ExecutionTreeOptions } from "./tree.ts";

/** What the tree of executions works with. */
export interface TreeRoomOptions extends Omit<ExecutionTreeOptions, "choices" | "createView"> {
  /** Remembers what a workspace's executions are grouped by. */
  readonly context: Pick<vscode.ExtensionContext, "workspaceState">;
  /** Settles when what is kept has been read. */
  readonly opened: Promise<void>;
}

/** The tree of executions, as the other parts use it. */
export interface TreeRoom {
  readonly view: ExecutionTree["view"];
  readonly arrangement: ExecutionTree["arrangement"];
  readonly choices: TreeChoices;
  readonly showMore: ExecutionTree["showMore"];
  /** Ends all of it. */
  dispose(): void;
}

/** Registers the tree. Until what is kept has been read, it says nothing of there being nothing. */
export function registerTree({ context, opened, ...parts }: TreeRoomOptions): TreeRoom {
  const choices = new TreeChoices(context.workspaceState);
  const tree = new ExecutionTree({ ...parts, choices });
  const isReady = () => {
    setContext("crewdeck.isReady", true);
  };
  opened.then(isReady, isReady);
  const owned = vscode.Disposable.from(tree, choices);
  return {
    view: tree.view,
    arrangement: tree.arrangement,
    choices,
    showMore: (group) => tree.showMore(group),
    dispose() {
      owned.dispose();
    },
  };
}
