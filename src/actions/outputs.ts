import * as vscode from "vscode";
import * as v from "valibot";
import { CrewApiError } from "../api/errors.ts";
import type { Clock } from "../base/clock.ts";
import { NothingToDo, UserError } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import { formatSize, shortName } from "../base/text.ts";
import type { Crews } from "../crews/crews.ts";
import { flag, read, readTarget, targetMembers, text } from "../editor/arguments.ts";
import { activeDocument, parseUri } from "../editor/execution-uri.ts";
import { plainLabel, showStatus, withProgress } from "../editor/messages.ts";
import type { Execution, ExecutionSummary } from "../executions/model.ts";
import { isAt } from "../executions/resumes.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { type AttemptPair, attemptPairs } from "../executions/tasks.ts";
import { titleOf } from "../executions/title.ts";
import { type Output, outputNamed, outputsOf } from "../view/outputs.ts";
import { present } from "../view/words.ts";
import type { Sides } from "../views/comparison/messages.ts";
import type { Comparisons } from "../views/comparison/register.ts";
import {
  openAnswer,
  openOutput,
  openPicture,
  outputUri,
  saveOutput,
} from "../views/document/output-editors.ts";
import type { Asker } from "./asker.ts";
import { namesOf, pickExecution, type Targets } from "./targets.ts";

export interface OutputParts {
  readonly targets: Targets;
  readonly store: Pick<ExecutionStore, "find" | "list" | "picture">;
  readonly comparisons: Pick<Comparisons, "openPair">;
  readonly outputsFolder: string;
}

/**
 * Each takes `{crew, kickoffId, taskId?, attempt?}` and returns a URI; `openOutput` also `{picture}`, the ID of its event; `compareAttempts` `{taskId,
 * previous, attempt}`.
 */
export function outputVerbs(parts: OutputParts) {
  const { targets, store, outputsFolder } = parts;
  const onOutput =
    (action: (execution: Execution, output: Output) => Promise<vscode.Uri | undefined>) =>
    async (given: unknown, by: Asker) => {
      const active = activeDocument();
      const argument = given ?? (active && parseUri(active)?.part && active);
      const execution = await targets.execution(argument, (each) =>
        [each, ...each.tasks.flatMap(({ attempts }) => attempts)].some(({ output }) => output),
      );
      const output = execution && (await chooseOutput(execution, argument, by));
      return (output && (await action(execution, output)))?.toString();
    };
  const ofTask = onOutput((execution, output) => openOutput(outputsFolder, execution, output));
  const ofPicture = targets.onExecution(async (execution, given) => {
    const picture = store.picture(execution.localId, pictureIn(given) ?? "");
    if (picture === undefined)
      throw new UserError(vscode.l10n.t("The picture is not kept: it was too large, or too old."));
    return (await openPicture(outputsFolder, execution, picture)).toString();
  });
  return {
    openOutput: (given: unknown, by: Asker) =>
      (pictureIn(given) === undefined ? ofTask : ofPicture)(given, by),
    saveOutput: onOutput(async (execution, output) => {
      const file = await saveOutput(execution, output);
      if (file !== undefined) showStatus(vscode.l10n.t("The output is saved."));
      return file;
    }),
    compareAttempts: targets.onExecution(
      compareAttempts,
      (execution) => attemptPairs(execution).length > 0,
    ),
    compareExecutions: compareVerb(parts),
  };
}

async function chooseOutput(execution: Execution, argument: unknown, by: Asker) {
  const { taskId, attempt, result } = read({ ...targetMembers, result: flag }, argument);
  // Without a task, programs and lenses mean the result; documents and tree rows mean any output.
  const isResult =
    argument instanceof vscode.Uri
      ? parseUri(argument)?.part?.kind === "result"
      : result === true || !by.isPerson;
  const isNamed = taskId !== undefined || isResult;
  const named = outputNamed(execution, defined({ taskId, attempt }));
  const fitting = isNamed ? present(named) : outputsOf(execution);
  if (fitting.length === 0)
    throw new NothingToDo(vscode.l10n.t("The crew has not returned this output."));
  if (fitting.length === 1) return fitting[0];
  const items = fitting.map((output) => ({ ...itemFor(output), output }));
  const placeHolder = vscode.l10n.t("Which output?");
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))
    ?.output;
}

function pictureIn(argument: unknown): string | undefined {
  return read({ picture: text }, argument).picture;
}

function itemFor({ part, output }: Output): vscode.QuickPickItem {
  const size = formatSize(Buffer.byteLength(output));
  if (part.kind === "result") return { label: vscode.l10n.t("Result"), description: size };
  return {
    label: plainLabel(shortName(part.taskId)),
    description: `${vscode.l10n.t("attempt {0}", part.attempt)} · ${size}`,
  };
}

export interface RawAnswerParts {
  readonly crews: Pick<Crews, "client" | "ready">;
  readonly outputsFolder: string;
  readonly clock: Pick<Clock, "now">;
}

export async function openRawAnswer(
  { crews, outputsFolder, clock }: RawAnswerParts,
  execution: Execution,
): Promise<vscode.Uri | undefined> {
  const kickoffId = execution.kickoffIds.at(-1);
  if (kickoffId === undefined)
    throw new UserError(vscode.l10n.t("It has no ID: the kickoff got no response."));
  await crews.ready(execution.crew);
  const askedAt = clock.now();
  const show = (answer: { readonly text: string; readonly status?: number }) =>
    openAnswer(outputsFolder, execution, { ...answer, askedAt });
  try {
    const title = vscode.l10n.t("Requesting the state from “{0}”", execution.crew.name);
    const client = await crews.client(execution.crew);
    const text = await withProgress(title, (signal) => client.rawStatus(kickoffId, { signal }));
    return await show({ text });
  } catch (error) {
    if (error instanceof CrewApiError && error.kind === "aborted") return undefined;
    if (error instanceof CrewApiError && error.status !== undefined && error.body !== undefined)
      await show({ text: error.body, status: error.status });
    throw error;
  }
}

async function compareAttempts(execution: Execution, argument: unknown): Promise<AttemptPair> {
  const { waiting } = execution;
  const { taskId, attempt } = readTarget(argument);
  const pairs = attemptPairs(execution).filter(
    (each) =>
      (taskId === undefined || each.taskId === taskId) &&
      (attempt === undefined || each.attempt === attempt),
  );
  const pair = pairs.find((each) => isAt(waiting, each)) ?? pairs.at(-1);
  if (pair === undefined)
    throw new NothingToDo(
      vscode.l10n.t(
        "There are no two outputs to compare. A task has a second one after it was rejected and run again.",
      ),
    );
  const [before, after] = [pair.previous, pair.attempt];
  const task = shortName(pair.taskId);
  const uriOf = (attempt: number) =>
    outputUri(execution, { kind: "attempt", taskId: pair.taskId, attempt });
  await vscode.commands.executeCommand(
    "vscode.diff",
    uriOf(before),
    uriOf(after),
    vscode.l10n.t("{0}: attempt {1} ↔ attempt {2}", task, before, after),
  );
  return pair;
}

/** Takes `{crew, kickoffId, with?: {crew, kickoffId}}`, the left one first, and returns the pair so. */
function compareVerb({ targets, store, comparisons }: OutputParts) {
  const choosePair = async (argument: unknown): Promise<Sides<Execution> | undefined> => {
    const { with: other } = read({ with: v.exactOptional(v.unknown()) }, argument);
    const left = await targets.execution(argument);
    if (left === undefined) return undefined;
    if (other === undefined) {
      const asked = await askForOther(store, left);
      const found = asked && store.find(asked.localId);
      return found && byTime(left, found);
    }
    if (readTarget(other).kickoffId === undefined)
      throw new UserError(vscode.l10n.t("“{0}” is missing.", "with.kickoffId"));
    const right = await targets.execution(other);
    if (right?.localId === left.localId) throw new UserError(nameTwo());
    return right && { left, right };
  };
  const selectedPair = (rows: readonly unknown[]) => {
    const [one, other, ...more] = targets.selected(rows);
    if (one === undefined || other === undefined || more.length > 0) throw new UserError(nameTwo());
    return byTime(one, other);
  };
  return async (argument: unknown, _by: Asker, selected?: readonly unknown[]) => {
    const pair = selected === undefined ? await choosePair(argument) : selectedPair(selected);
    if (pair === undefined) return undefined;
    await comparisons.openPair(pair);
    return { ...namesOf(pair.left), with: namesOf(pair.right) };
  };
}

async function askForOther(
  store: Pick<ExecutionStore, "list">,
  execution: ExecutionSummary,
): Promise<ExecutionSummary | undefined> {
  const others = store.list().filter(({ localId }) => localId !== execution.localId);
  if (others.length === 0)
    throw new NothingToDo(
      vscode.l10n.t("There is no other execution to compare it with. Kick off a second one."),
    );
  const isOwn = ({ crew }: ExecutionSummary) => crew.id === execution.crew.id;
  const [own, rest] = [others.filter(isOwn), others.filter((each) => !isOwn(each))];
  return await pickExecution(
    [...own, ...rest],
    vscode.l10n.t("Compare “{0}” with which execution?", titleOf(execution)),
  );
}

/** The earlier one is on the left, so that differences are what has changed since. */
function byTime<T extends ExecutionSummary>(one: T, other: T): Sides<T> {
  return one.startedAt <= other.startedAt
    ? { left: one, right: other }
    : { left: other, right: one };
}

function nameTwo(): string {
  return vscode.l10n.t("Name two executions to compare them.");
}
