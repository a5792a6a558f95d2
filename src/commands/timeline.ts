import * as vscode from "vscode";
import { isProgram } from "../editor/arguments.ts";
import { showStatus } from "../editor/messages.ts";
import type { Execution } from "../executions/model.ts";
import type { Timeline } from "../views/timeline/register.ts";
import { onExecution } from "./choose.ts";
import type { CommandParts, Commands, Run } from "./table.ts";

/** Each takes `{crew, kickoffId}`. `saveTimeline` returns a URI, `copyTimeline` the Markdown. */
export function timelineCommands(
  parts: Pick<CommandParts, "crews" | "store"> & { readonly timeline: Timeline },
): Commands {
  const { timeline } = parts;
  /** On the named execution, else the one in the view. */
  const onTimeline = (action: (execution: Execution, argument: unknown) => unknown): Run => {
    const onNamed = onExecution(parts, action);
    return (argument) => {
      const shown = argument === undefined ? timeline.shown : undefined;
      const execution = shown === undefined ? undefined : parts.store.find(shown);
      return execution === undefined ? onNamed(argument) : action(execution, argument);
    };
  };
  return {
    showTimeline: onExecution(parts, (execution) => timeline.show(execution)),
    saveTimeline: onTimeline(async (execution) => {
      const file = await timeline.savePicture(execution);
      if (file !== undefined) showStatus(vscode.l10n.t("The timeline is saved."));
      return file?.toString();
    }),
    copyTimeline: onTimeline(async (execution, argument) => {
      const markdown = await timeline.markdown(execution);
      await vscode.env.clipboard.writeText(markdown);
      if (!isProgram(argument)) showStatus(vscode.l10n.t("The timeline is copied."));
      return markdown;
    }),
  };
}
