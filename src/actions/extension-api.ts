import * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import type { Execution, ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { CurrentCircumstances } from "../views/circumstances.ts";
import type { CrewdeckApi, CrewdeckExecution } from "./crewdeck-api.ts";
import { plainExecution } from "./execution-data.ts";
import type { apiOf } from "./verbs.ts";

interface ApiParts {
  readonly crews: Pick<Crews, "list">;
  readonly store: Pick<ExecutionStore, "find" | "findAll" | "refresh" | "onDidChange">;
  readonly circumstances: Pick<CurrentCircumstances, "prices">;
}

export function createExtensionApi(
  { crews, store, circumstances }: ApiParts,
  verbs: () => Promise<ReturnType<typeof apiOf>>,
) {
  const changes = new vscode.EventEmitter<CrewdeckExecution>();
  let hasListeners = false;
  const plain = (executions: readonly Execution[]) => {
    const names = new Map(crews.list().map(({ id, name }) => [id, name]));
    return executions.map((execution) =>
      plainExecution(
        execution,
        names.get(execution.crew.id) ?? execution.crew.name,
        circumstances.prices,
      ),
    );
  };
  const subscription = store.onDidChange(({ added, changed }) => {
    if (!hasListeners) return;
    const read = ({ localId }: ExecutionSummary) => store.find(localId) ?? [];
    for (const execution of plain([...added, ...changed].flatMap(read))) changes.fire(execution);
  });
  const api: CrewdeckApi = {
    version: 1,
    crews: () =>
      crews.list().map(({ name, url, local }) => ({ name, url, isLocal: local !== undefined })),
    executions() {
      store.refresh();
      return plain(store.findAll());
    },
    onDidChangeExecution(...listener) {
      hasListeners = true;
      return changes.event(...listener);
    },
    kickoff: async (given) => (await verbs()).kickoff(given),
    resume: async (given) => (await verbs()).resume(given),
    stop: async (given) => (await verbs()).stop(given),
  };
  return { api, disposable: vscode.Disposable.from(subscription, changes) };
}
