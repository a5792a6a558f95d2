import * as vscode from "vscode";
import { defined } from "../base/json.ts";
import type { Crews } from "../crews/crews.ts";
import { type Execution, type ExecutionSummary, keyOf } from "../executions/model.ts";
import { costOf, type Price, taskTokenUse, tokenUse, type TokenUse } from "../executions/tokens.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { titleOf } from "../executions/title.ts";
import type { Prices } from "../views/prices.ts";
import type { apiOf } from "./verbs.ts";
import type { CrewdeckApi, CrewdeckExecution } from "./crewdeck-api.ts";

interface ApiParts {
  readonly crews: Pick<Crews, "list">;
  readonly store: Pick<ExecutionStore, "find" | "findAll" | "refresh" | "onDidChange">;
  readonly prices: Pick<Prices, "list">;
}

export function createExtensionApi(
  { crews, store, prices }: ApiParts,
  verbs: () => Promise<ReturnType<typeof apiOf>>,
) {
  const changes = new vscode.EventEmitter<CrewdeckExecution>();
  let hasListeners = false;
  const plain = (executions: readonly Execution[]) => {
    const names = new Map(crews.list().map(({ id, name }) => [id, name]));
    return executions.map((execution) =>
      plainExecution(execution, names.get(execution.crew.id) ?? execution.crew.name, prices.list()),
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

function plainUsage(use: TokenUse | undefined, prices: readonly Price[]) {
  if (use === undefined) return undefined;
  const cost = costOf(use, prices);
  return {
    tokens: use.tokens,
    ...(cost && { estimatedCost: { amount: cost.amount, unpricedTokens: cost.unpriced } }),
    models: use.models,
  };
}

function plainExecution(
  execution: Execution,
  crew: string,
  prices: readonly Price[],
): CrewdeckExecution {
  const { kickoffIds, state, mayBeWaiting, startedAt, endedAt, output, error, waiting } = execution;
  return structuredClone({
    crew,
    kickoffId: keyOf(execution),
    kickoffIds,
    title: titleOf(execution),
    state,
    startedAt,
    tasks: execution.tasks.map((task) => ({
      taskId: task.taskId,
      state: task.state,
      ...defined({
        agent: task.agent,
        output: task.attempts.at(-1)?.output,
        usage: plainUsage(taskTokenUse(task), prices),
      }),
      attempts: task.attempts.map(({ number, output, feedback }) => ({
        number,
        ...defined({ output }),
        ...(feedback && { feedback: { isApprove: feedback.isApprove, text: feedback.text } }),
      })),
    })),
    ...defined({
      mayBeWaiting,
      endedAt,
      output,
      error,
      usage: plainUsage(tokenUse(execution), prices),
    }),
    ...(waiting && {
      waiting: {
        taskId: waiting.taskId,
        ...defined({
          output: waiting.output,
          message: waiting.message,
          answers: waiting.options,
        }),
      },
    }),
  });
}
