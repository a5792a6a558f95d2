import * as vscode from "vscode";
import type { JsonValue } from "../api/types.ts";
import { plainLabel, plainMessage } from "../editor/messages.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import type { Taken } from "./form-tools.ts";
import { valueInShort } from "./in-short.ts";

/** A value that an input had, and the newest execution that had it. */
export interface EarlierValue {
  readonly value: JsonValue;
  readonly execution: ExecutionSummary;
}

/** The values that a crew's input had in these executions: in their order, each once. */
export function earlierValues(
  executions: readonly ExecutionSummary[],
  crewId: string,
  input: string,
): readonly EarlierValue[] {
  const values = new Map<string, EarlierValue>();
  for (const execution of executions) {
    const inputs = execution.crew.id === crewId ? execution.request?.inputs : undefined;
    const value = inputs !== undefined && Object.hasOwn(inputs, input) ? inputs[input] : undefined;
    if (value === undefined) continue;
    const key = JSON.stringify(value);
    if (!values.has(key)) values.set(key, { value, execution });
  }
  return [...values.values()];
}

/** Lets a person choose one of the values that an input had. Nothing where there is none, which is said, or the person leaves. */
export async function chooseEarlierValue(
  values: readonly EarlierValue[],
  input: string,
): Promise<Taken | undefined> {
  if (values.length === 0) {
    void vscode.window.showInformationMessage(
      plainMessage(
        vscode.l10n.t(
          "No execution that is kept here had a value for “{0}”.",
          valueInShort(input, 40),
        ),
      ),
    );
    return undefined;
  }
  const items = values.map(({ value, execution }) => {
    const [label, title] = [valueInShort(value), titleOf(execution)];
    return {
      label: plainLabel(label),
      description: new Date(execution.startedAt).toLocaleString(vscode.env.language),
      // Many a title is the value itself.
      ...(title === label ? {} : { detail: plainLabel(title) }),
      taken: { value, from: vscode.l10n.t("the execution “{0}”", title) },
    };
  });
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Earlier values of “{0}”", valueInShort(input, 40)),
    placeHolder: vscode.l10n.t("Newest first"),
    matchOnDetail: true,
  });
  return chosen?.taken;
}
