import * as vscode from "vscode";
import type { Crews } from "../../crews/crews.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { Prefill } from "../callbacks.ts";
import type { Presets } from "../presets/presets.ts";
import type { LastEditor } from "./last-editor.ts";
import type { FormCrew, Taken } from "./messages.ts";

export type FormTools = ReturnType<typeof createFormTools>;

export function createFormTools(
  crews: Pick<Crews, "get">,
  store: Pick<ExecutionStore, "list" | "find">,
  presets: Presets,
  editor: Pick<LastEditor, "selection">,
) {
  return {
    /** @param values undefined while the form is invalid */
    async presets(crew: FormCrew, values: Prefill | undefined): Promise<Prefill | undefined> {
      if (values === undefined)
        void vscode.window.showInformationMessage(
          vscode.l10n.t("The form has an error. Fix it to save its values as a preset."),
        );
      const { choosePreset } = await import("../presets/choose.ts");
      return await choosePreset({ presets, crew, values });
    },
    async openAsRequestFile(crew: FormCrew, values: Prefill): Promise<void> {
      const { openUnsaved } = await import("../export.ts");
      await openUnsaved({ crewName: crew.name, values });
    },
    async saveAsRequestFile(crew: FormCrew, values: Prefill): Promise<void> {
      const { askAndSave } = await import("../export.ts");
      await askAndSave({ crewName: crew.name, values });
    },
    async copyAsCurl(crew: FormCrew, values: Prefill): Promise<void> {
      const { copyCurl } = await import("../export.ts");
      // Looked up at each use, since a local crew's port may change.
      await copyCurl(crews.get(crew.id), values);
    },
    async takeValue({ id }: FormCrew, input: string): Promise<Taken | undefined> {
      const { chooseEarlierValue, earlierValues, takeValue } = await import("./take-value.ts");
      return await takeValue(input, {
        editor,
        hasEarlier: earlierValues(store.list(), id, input).length > 0,
        earlier: async () => {
          // The list has only the beginning of a long value.
          const executions = store
            .list()
            .flatMap((execution) =>
              execution.crew.id === id && execution.request?.shortened?.includes(input) === true
                ? (store.find(execution.localId) ?? [])
                : execution,
            );
          return await chooseEarlierValue(earlierValues(executions, id, input), input);
        },
      });
    },
  };
}
