import * as vscode from "vscode";
import type { Crews } from "../../crews/crews.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { Prefill } from "../callbacks.ts";
import { askAndSave, copyCurl, openUnsaved } from "../export.ts";
import { choosePreset } from "../presets/choose.ts";
import type { Presets } from "../presets/presets.ts";
import type { FormCrew, Taken } from "./messages.ts";
import { earlierValues, takeValue } from "./take-value.ts";

export type FormTools = ReturnType<typeof createFormTools>;

export function createFormTools(
  crews: Pick<Crews, "get">,
  store: Pick<ExecutionStore, "list" | "find">,
  presets: Presets,
) {
  return {
    /** @param values undefined while the form is invalid */
    async presets(crew: FormCrew, values: Prefill | undefined): Promise<Prefill | undefined> {
      if (values === undefined)
        void vscode.window.showInformationMessage(
          vscode.l10n.t("The form has an error. Fix it to save its values as a preset."),
        );
      return await choosePreset({ presets, crew, values });
    },
    openAsRequestFile: ({ name }: FormCrew, values: Prefill) =>
      openUnsaved({ crewName: name, values }),
    async saveAsRequestFile({ name }: FormCrew, values: Prefill): Promise<void> {
      await askAndSave({ crewName: name, values });
    },
    // Looked up at each use, since a local crew's port may change.
    copyAsCurl: ({ id }: FormCrew, values: Prefill) => copyCurl(crews.get(id), values),
    async takeValue({ id }: FormCrew, input: string): Promise<Taken | undefined> {
      // The list has only the beginning of a long value.
      const executions = store
        .list()
        .flatMap((execution) =>
          execution.crew.id === id && execution.request?.shortened?.includes(input) === true
            ? (store.find(execution.localId) ?? [])
            : execution,
        );
      return await takeValue(input, earlierValues(executions, id, input));
    },
  };
}
