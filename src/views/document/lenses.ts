import * as l10n from "@vscode/l10n";
import type * as vscode from "vscode";
import { formatSize } from "../../base/text.ts";
import { keyOf, type Execution } from "../../executions/model.ts";
import { attemptPairs } from "../../executions/tasks.ts";
import type { ExecutionView } from "../../view/execution-view.ts";
import { isLarge, outputsOf } from "../../view/outputs.ts";
import { attemptSection, type Rendered, resultSection, sectionOf } from "../../view/sections.ts";
import { sectionOfAttempt } from "../../view/tasks.ts";

interface DocumentLens {
  readonly line: number;
  readonly command: vscode.Command;
}

/** At the top, what to do next; above attempts, the comparison; above outputs, "Open Output". */
export function documentLenses(
  execution: Execution,
  { actions }: ExecutionView,
  rendered: Rendered,
): readonly DocumentLens[] {
  const target = { crew: execution.crew.id, kickoffId: keyOf(execution), by: "person" };
  const above = (section: string, command: vscode.Command): DocumentLens[] => {
    const line = sectionOf(rendered, section)?.start;
    return line === undefined ? [] : [{ line, command }];
  };
  const go = { verb: "openExecution", label: `$(arrow-down)\u00a0${l10n.t("Go to Output")}` };
  return [
    ...(execution.state === "waiting" ? above("title", commandOf(go, target)) : []),
    ...actions.flatMap((action) => above("title", commandOf(action, target))),
    ...attemptPairs(execution).flatMap(({ taskId, previous, attempt }) => {
      const label = l10n.t("Compare with Attempt {0}", previous);
      const compare = { verb: "compareAttempts", label };
      return above(
        attemptSection(taskId, attempt),
        commandOf(compare, { ...target, taskId, attempt }),
      );
    }),
    ...outputsOf(execution).flatMap(({ part, output }) => {
      const label = isLarge(output)
        ? l10n.t("Open Whole Output ({0})", formatSize(Buffer.byteLength(output)))
        : l10n.t("Open Output");
      const of =
        part.kind === "result" ? { result: true } : { taskId: part.taskId, attempt: part.attempt };
      const open = { verb: "openOutput", label };
      const section = part.kind === "result" ? resultSection : sectionOfAttempt(part, execution);
      return above(section, commandOf(open, { ...target, ...of }));
    }),
  ];
}

/** Without a verb, it does nothing. */
function commandOf(
  { verb, label }: { readonly verb?: string; readonly label: string },
  argument: object,
): vscode.Command {
  return verb === undefined
    ? { title: label, command: "" }
    : { title: label, command: `crewdeck.${verb}`, arguments: [argument] };
}
