import * as vscode from "vscode";
import type { Crews } from "../../crews/crews.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { FormTools } from "../form-tools.ts";
import type { Presets } from "../presets/presets.ts";

/** What the form's buttons work with. */
export interface FormToolsOptions {
  readonly crews: Pick<Crews, "get">;
  readonly store: Pick<ExecutionStore, "list" | "find">;
  readonly presets: Presets;
}

/** The tools of the kickoff forms, each loaded when it is used first. */
export function createFormTools({ crews, store, presets }: FormToolsOptions): FormTools {
  return {
    async presets(crew, values) {
      if (values === undefined)
        void vscode.window.showInformationMessage(
          vscode.l10n.t(
            "The form holds what is not JSON. Correct it to save its values as a preset.",
          ),
        );
      const { choosePreset } = await import("../presets/choose.ts");
      return await choosePreset({ presets, crew, values });
    },
    async saveAsRequestFile(crew, values) {
      const { askAndSave } = await import("../export.ts");
      await askAndSave({ crewName: crew.name, values });
    },
    async copyAsCurl(crew, values) {
      const { copyCurl } = await import("../copy-curl.ts");
      // Looked up at each use: a local crew may have another port by now.
      await copyCurl(crews.get(crew.id), values);
    },
    async hasEarlierValue(crew, input) {
      const { earlierValues } = await import("../earlier-value.ts");
      return earlierValues(store.list(), crew.id, input).length > 0;
    },
    async earlierValue(crew, input) {
      const { chooseEarlierValue, earlierValues } = await import("../earlier-value.ts");
      const executions = store
        .list()
        .flatMap((execution) =>
          execution.crew.id === crew.id && execution.request?.shortened?.includes(input) === true
            ? (store.find(execution.localId) ?? [])
            : execution,
        );
      return await chooseEarlierValue(earlierValues(executions, crew.id, input), input);
    },
  };
}
