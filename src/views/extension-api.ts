import * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import { UserError } from "../base/errors.ts";
import { keyOf, type Execution, type ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { titleOf } from "../executions/title.ts";
import type { Feedback } from "../feedback/feedback.ts";
import type { KickoffSender } from "../sending/kickoff.ts";
import type {
  CrewdeckApi,
  CrewdeckExecution,
  CrewdeckFeedback,
  CrewdeckKickoff,
  CrewdeckTask,
} from "./crewdeck-api.ts";

/** What the API works with. */
export interface ExtensionApiOptions {
  readonly crews: Pick<Crews, "list" | "get" | "ready">;
  readonly store: Pick<ExecutionStore, "list" | "find" | "onDidChange">;
  readonly sender: Pick<KickoffSender, "send">;
  readonly feedback: Pick<Feedback, "send">;
  /** Loads what checks what another extension gave, and throws an error for a person that names what is wrong. */
  readonly loadReaders: () => Promise<{
    readApiKickoff: (argument: unknown) => CrewdeckKickoff;
    readApiFeedback: (argument: unknown) => CrewdeckFeedback;
  }>;
}

/** Makes the API, and what ends it. */
export function createExtensionApi(options: ExtensionApiOptions): {
  readonly api: CrewdeckApi;
  readonly disposable: vscode.Disposable;
} {
  const { crews, store, sender, feedback, loadReaders } = options;
  const changes = new vscode.EventEmitter<CrewdeckExecution>();
  let isHeard = false;
  const plainOf = ({ localId }: ExecutionSummary) => {
    const execution = store.find(localId);
    if (execution === undefined) return [];
    const { crew } = execution;
    return [plain(execution, crews.list().find(({ id }) => id === crew.id)?.name ?? crew.name)];
  };
  const subscription = store.onDidChange(({ added, changed }) => {
    // While nobody listens, nothing is read.
    if (!isHeard) return;
    for (const execution of [...added, ...changed].flatMap(plainOf)) changes.fire(execution);
  });
  const api: CrewdeckApi = {
    version: 1,
    crews: () =>
      crews.list().map(({ name, url, local }) => ({ name, url, isLocal: local !== undefined })),
    executions: () => store.list().flatMap(plainOf),
    onDidChangeExecution(...listener) {
      isHeard = true;
      return changes.event(...listener);
    },
    async kickoff(argument) {
      const { crew: wanted, ...request } = (await loadReaders()).readApiKickoff(argument);
      const crew = await crews.ready(crews.get(wanted));
      const execution = await sender.send(crew, { ...request, inputs: request.inputs ?? {} });
      return { crew: crew.name, kickoffId: keyOf(execution) };
    },
    async resume(argument) {
      const {
        crew,
        kickoffId,
        taskId,
        isApprove,
        feedback: text = "",
      } = (await loadReaders()).readApiFeedback(argument);
      const execution = store.find(kickoffId, crew === undefined ? undefined : crews.get(crew).id);
      if (execution === undefined)
        throw new UserError(
          vscode.l10n.t(
            "No execution with the ID “{0}” is tracked here. Track it by its ID first.",
            kickoffId,
          ),
        );
      const task = taskId ?? execution.waiting?.taskId;
      if (task === undefined)
        throw new UserError(
          vscode.l10n.t(
            "No task of this execution is known to wait. Say which one by its task ID.",
          ),
        );
      await crews.ready(execution.crew);
      const { status, message } = await feedback.send({ execution, taskId: task, isApprove, text });
      return { status, message };
    },
  };
  return { api, disposable: vscode.Disposable.from(subscription, changes) };
}

function plain(execution: Execution, crew: string): CrewdeckExecution {
  const { kickoffIds, state, mayBeWaiting, startedAt, endedAt, output, error, waiting } = execution;
  return structuredClone({
    crew,
    kickoffId: keyOf(execution),
    kickoffIds,
    title: titleOf(execution),
    state,
    startedAt,
    tasks: execution.tasks.map(plainTask),
    ...(mayBeWaiting === undefined ? {} : { mayBeWaiting }),
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
    ...(waiting === undefined
      ? {}
      : {
          waiting: {
            taskId: waiting.taskId,
            ...(waiting.output === undefined ? {} : { output: waiting.output }),
          },
        }),
  });
}

function plainTask({ taskId, agent, state, attempts }: Execution["tasks"][number]): CrewdeckTask {
  const output = attempts.at(-1)?.output;
  return {
    taskId,
    state,
    ...(agent === undefined ? {} : { agent }),
    ...(output === undefined ? {} : { output }),
    attempts: attempts.map(({ number, output: text, feedback }) => ({
      number,
      ...(text === undefined ? {} : { output: text }),
      ...(feedback === undefined
        ? {}
        : { feedback: { isApprove: feedback.isApprove, text: feedback.text } }),
    })),
  };
}
