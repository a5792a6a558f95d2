import * as vscode from "vscode";
import { CrewApiError } from "../api/errors.ts";
import type { JsonObject, RunAgainFrom } from "../api/types.ts";
import { UserError } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import { shortName } from "../base/text.ts";
import type { Crews } from "../crews/crews.ts";
import { crewAndPlace } from "../crews/identity.ts";
import { costsMoney, type Crew } from "../crews/types.ts";
import { confirm } from "../editor/messages.ts";
import { isLocalCrew, type Execution } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import type { CallbackSecrets } from "../sending/secrets.ts";
import type { Senders } from "../sending/senders.ts";
import { present } from "../view/words.ts";
import type { Prefill, RunFrom } from "./callbacks.ts";
import type { KickoffForms } from "./form/forms.ts";
import { inputsInShort, keepChangedText } from "./texts.ts";

export interface RunAgainParts {
  readonly crews: Pick<Crews, "connected" | "ready">;
  readonly sending: Pick<Senders, "send"> & {
    readonly secrets: Pick<CallbackSecrets, "complete">;
  };
  readonly forms: Pick<KickoffForms, "open">;
  readonly page: { open(execution: Execution): Promise<unknown> };
}

interface RunAgainOptions {
  /** Whether a person is asked, who confirms or opens the form; a program isn't. */
  readonly asks: boolean;
  /** The task from which a local execution runs again, with the outputs of the tasks before it. */
  readonly from?: Omit<RunAgainFrom, "executionId"> & Pick<Prefill, "inputs">;
}

export async function runAgain(
  parts: RunAgainParts,
  execution: Execution,
  { asks, from }: RunAgainOptions,
): Promise<Execution | undefined> {
  const { crews, sending, page } = parts;
  const crew = crews.connected(execution.crew);
  const { inputs: sent = {}, meta, restoreFromStateId, extra, rules } = requestOf(execution);
  const runAgain = from ? fromTask(execution, crew, from) : execution.request?.runAgain;
  const inputs = from?.inputs ?? sent;
  const inForm = () => runAgainInForm(parts, execution, from && runAgain);
  const answer = asks ? await ask(execution, crew, inputs, runAgain?.taskId) : "start";
  if (answer !== "start") return answer && (await inForm());
  const { callbacks, lost } = await sending.secrets.complete(execution);
  if (lost.length > 0) {
    const reason = vscode.l10n.t(
      "The secret of a callback is no longer stored. Enter it in the form.",
    );
    if (!asks) throw new UserError(reason);
    void vscode.window.showInformationMessage(reason);
    return await inForm();
  }
  const send = async (again: RunAgainFrom | undefined) => {
    const request = defined({ inputs, meta, restoreFromStateId, extra, rules, runAgain: again });
    const label = defined({ label: execution.label });
    const started = await sending.send(
      await crews.ready(crew),
      { ...request, ...callbacks },
      label,
    );
    // The form shows what it starts itself.
    if (asks) await page.open(started);
    return started;
  };
  try {
    return await send(runAgain);
  } catch (error) {
    const canKeep = error instanceof CrewApiError && error.canKeepChanged === true;
    if (!asks || runAgain === undefined || !canKeep) throw error;
    const question = vscode.l10n.t("The crew has changed. Run again anyway?");
    const detail = `${error.message}\n\n${keepChangedText()}`;
    if (!(await confirm(question, detail, vscode.l10n.t("Run Anyway")))) return undefined;
    return await send({ ...runAgain, keepChanged: true });
  }
}

export async function runAgainInForm(
  parts: RunAgainParts,
  execution: Execution,
  runAgain?: RunAgainFrom,
): Promise<Execution | undefined> {
  const from = runAgain && runFrom(execution, runAgain);
  const values = { ...requestOf(execution), ...defined({ from }) };
  const crew = await parts.crews.ready(execution.crew);
  return await parts.forms.open(crew, values, { replaces: true });
}

/** Without secrets. @throws UserError if the execution was only tracked by its ID */
export function requestOf(execution: Execution): Prefill {
  const { request } = execution;
  if (request === undefined)
    throw new UserError(
      vscode.l10n.t(
        "This execution was tracked by its ID. Crews do not report an execution's inputs.",
      ),
    );
  const { inputs, meta, restoreFromStateId, extra, runAgain, rules, callbacks } = request;
  const from = runAgain && runFrom(execution, runAgain);
  return { inputs, ...defined({ meta, restoreFromStateId, extra, rules, from }), ...callbacks };
}

function fromTask(
  { kickoffIds }: Execution,
  crew: Crew,
  { taskId, outputs, keepChanged }: NonNullable<RunAgainOptions["from"]>,
): RunAgainFrom {
  const executionId = kickoffIds.at(-1);
  if (isLocalCrew(crew) && executionId !== undefined)
    return { executionId, taskId, ...defined({ outputs, keepChanged }) };
  throw new UserError(
    vscode.l10n.t("Only an execution of a local crew can run again from a task."),
  );
}

function runFrom(
  execution: Execution,
  { executionId, taskId, outputs: given = {} }: RunAgainFrom,
): RunFrom {
  const outputs = tasksBefore(execution, taskId).map(({ taskId: id, attempts }) => {
    const edited = Object.hasOwn(given, id) ? given[id] : undefined;
    const text = edited ?? attempts.at(-1)?.output ?? "";
    return { taskId: id, text, ...(edited !== undefined && { isEdited: true as const }) };
  });
  return { executionId, taskId, title: titleOf(execution), outputs };
}

function tasksBefore({ tasks }: Execution, taskId: string): Execution["tasks"] {
  const index = tasks.findIndex((task) => task.taskId === taskId);
  return tasks.slice(0, Math.max(0, index));
}

async function ask(
  execution: Execution,
  crew: Crew,
  inputs: JsonObject,
  from: string | undefined,
): Promise<"start" | "form" | undefined> {
  const title = titleOf(execution);
  const hasCallbacks = Object.keys(execution.request?.callbacks ?? {}).length > 0;
  const detail = present(
    execution.state === "unconfirmed" &&
      vscode.l10n.t(
        "No response to its kickoff arrived, so it may already be running. Check the crew's dashboard or log first: this starts it a second time.",
      ),
    vscode.l10n.t("{0} starts another execution.", crewAndPlace({ crew })),
    costsMoney(crew) && vscode.l10n.t("This can cost money."),
    from !== undefined &&
      vscode.l10n.t(
        "It begins with the task “{0}”. Outputs of earlier tasks that are kept: {1}.",
        shortName(from),
        tasksBefore(execution, from).length,
      ),
    inputsInShort(inputs).join("\n") || false,
    hasCallbacks && vscode.l10n.t("Its callbacks are sent again, too."),
  );
  const [again, edit] = [vscode.l10n.t("Run Again"), vscode.l10n.t("Edit First…")];
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t("Run “{0}” again?", title),
    { modal: true, detail: detail.join("\n\n") },
    again,
    edit,
  );
  return chosen === again ? "start" : chosen === edit ? "form" : undefined;
}
