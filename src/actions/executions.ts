import * as vscode from "vscode";
import { readStatusAddress } from "../api/address.ts";
import type { Clock } from "../base/clock.ts";
import { NothingToDo, UserError } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import type { Crews } from "../crews/crews.ts";
import { addCrewAction } from "../crews/errors.ts";
import { crewAndPlace } from "../crews/identity.ts";
import { flag, read, readTarget } from "../editor/arguments.ts";
import { askFor, confirm, showStatus } from "../editor/messages.ts";
import {
  type Execution,
  type ExecutionSummary,
  hasEnded,
  isLocalCrew,
  without,
} from "../executions/model.ts";
import { canBeAsked, type Poller } from "../executions/poller.ts";
import { newExecution } from "../executions/reduce.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { titleOf } from "../executions/title.ts";
import type { Senders } from "../sending/senders.ts";
import { outputNamed } from "../view/outputs.ts";
import type { Pages } from "../views/page/register.ts";
import { refusedToken } from "../views/notifications.ts";
import type { Asker } from "./asker.ts";
import type { Question } from "./question.ts";
import { namesOf, type Targets } from "./targets.ts";

export interface ExecutionParts {
  readonly targets: Targets;
  readonly store: ExecutionStore;
  readonly crews: Pick<Crews, "find" | "get" | "ready">;
  readonly poller: Pick<Poller, "refusingCrews" | "pollNow" | "pollAgain">;
  readonly page: Pick<Pages, "open" | "switchTo">;
  readonly clock: Clock;
}

export function executionVerbs(parts: ExecutionParts) {
  const { targets, store, page } = parts;
  return {
    untrackExecution: targets.onExecution(async (execution, _argument, by) => {
      if (await by.agrees(removalQuestion(execution))) store.remove(execution.localId);
    }),
    openExecution: targets.onExecution(async (execution, argument) => {
      await page.open(execution, readTarget(argument).taskId);
    }),
    openAsPage: targets.onExecution((execution) => page.switchTo(execution, "page")),
    openAsText: targets.onExecution((execution) => page.switchTo(execution, "text")),
    renameExecution: targets.onExecution((execution) => rename(parts, execution)),
    copyExecutionId: targets.onExecution(
      async ({ kickoffIds }) => {
        await vscode.env.clipboard.writeText(kickoffIds.at(-1) ?? "");
        showStatus(vscode.l10n.t("The execution's ID is copied."));
      },
      ({ kickoffIds }) => kickoffIds.length > 0,
    ),
    copyOutput: targets.onExecution(
      async (execution, argument) => {
        const { output = "" } = outputNamed(execution, readTarget(argument)) ?? {};
        await vscode.env.clipboard.writeText(output);
        showStatus(vscode.l10n.t("The output is copied."));
      },
      ({ output, waiting }) => (output ?? waiting?.output ?? "") !== "",
    ),
    // A person pins and unpins; a program says which.
    pinExecution: targets.onExecution(({ localId, pinned = false }, argument, by) => {
      const { pinned: wanted = !by.isPerson || !pinned } = read({ pinned: flag }, argument);
      store.update(localId, (current) =>
        wanted ? { ...current, pinned: true } : without(current, "pinned"),
      );
    }),
    clearEnded: (argument: unknown) => clearEnded(parts, argument),
    refresh: (argument: unknown, by: Asker) => refresh(parts, argument, by),
  };
}

function removalQuestion(execution: ExecutionSummary): Question {
  return {
    title: vscode.l10n.t("Remove “{0}” from the list?", titleOf(execution)),
    parts: [
      vscode.l10n.t(
        "Its title, inputs, outputs and your feedback are removed from this machine. Nothing changes at the crew: if it has not ended, it continues there. To track it again, you need its ID: {0}",
        execution.kickoffIds[0] ??
          vscode.l10n.t("not known here, because the kickoff got no response"),
      ),
    ],
    allow: vscode.l10n.t("Remove from List"),
  };
}

async function rename({ store }: ExecutionParts, execution: ExecutionSummary): Promise<void> {
  const title = execution.label ?? titleOf(execution);
  const label = await vscode.window.showInputBox({
    title: vscode.l10n.t("Rename Execution"),
    prompt: vscode.l10n.t("A title of your choice; leave it empty to restore the original one"),
    value: title,
    ignoreFocusOut: true,
  });
  if (label === undefined || label === title) return;
  store.update(execution.localId, (current) =>
    label.trim() === "" ? without(current, "label") : { ...current, label: label.trim() },
  );
}

async function clearEnded({ store, crews }: ExecutionParts, argument: unknown): Promise<void> {
  const { crew: name } = readTarget(argument);
  const crewId = name === undefined ? undefined : crews.get(name).id;
  const ended = store
    .list()
    .filter(hasEnded)
    .filter(({ crew, pinned }) => pinned !== true && (crewId === undefined || crew.id === crewId));
  if (ended.length === 0)
    throw new NothingToDo(vscode.l10n.t("There is no ended execution to clear; pinned ones stay."));
  const question = vscode.l10n.t("Clear ended executions? ({0})", ended.length);
  const detail = vscode.l10n.t(
    "Their inputs and outputs are removed from this machine. Nothing changes at the crews. Pinned executions stay.",
  );
  if (await confirm(question, detail, vscode.l10n.t("Clear")))
    for (const { localId } of ended) store.remove(localId);
}

/** Of one execution, which is watched again, of a crew or of all. Only a named crew gets a refused token again, and once. */
export async function refresh(
  parts: Pick<ExecutionParts, "targets" | "poller"> & {
    readonly crews: Pick<Crews, "get">;
    readonly store: Pick<ExecutionStore, "list" | "refresh">;
  },
  argument: unknown,
  by: Asker,
): Promise<void> {
  const { targets, crews, store, poller } = parts;
  const target = readTarget(argument);
  const isNamed = target.kickoffId !== undefined;
  const execution = isNamed ? await targets.execution(argument) : undefined;
  const crew = execution?.crew ?? (target.crew === undefined ? undefined : crews.get(target.crew));
  store.refresh();
  if (execution !== undefined) await poller.pollNow(execution.localId);
  else if (crew !== undefined) await refreshCrew(parts, crew.id);
  else await poller.pollNow();
  const refused = crew && poller.refusingCrews().get(crew.id);
  // The person requested this crew, and its row looks the same.
  if (refused && by.isPerson) throw refusedToken(crew, refused);
}

async function refreshCrew(
  { store, poller }: Pick<Parameters<typeof refresh>[0], "store" | "poller">,
  crewId: string,
): Promise<void> {
  const [first, ...others] = store
    .list()
    .filter((each) => each.crew.id === crewId && canBeAsked(each));
  // With nothing to poll, the next request shows whether the token is accepted.
  if (first === undefined) poller.pollAgain(crewId);
  else await poller.pollNow(first.localId);
  if (!poller.refusingCrews().has(crewId))
    await Promise.all(others.map(({ localId }) => poller.pollNow(localId)));
}

export function stopVerb(parts: {
  readonly targets: Targets;
  readonly crews: Pick<Crews, "canStop" | "ready">;
  readonly sending: Pick<Senders, "stop">;
}) {
  const { targets, crews, sending } = parts;
  return targets.onExecution(
    async (execution, _argument, by) => {
      const { crew } = execution;
      if (!crews.canStop(crew.id))
        throw new UserError(
          vscode.l10n.t(
            "“{0}” does not offer to stop an execution. Nothing was sent; the execution continues.",
            crew.name,
          ),
        );
      if (!(await by.agrees(stopQuestion(execution)))) return undefined;
      await crews.ready(crew);
      by.signal?.throwIfAborted();
      const answer = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Stopping…") },
        () => sending.stop(execution),
      );
      if (by.isPerson)
        showStatus(
          vscode.l10n.t("The crew was asked to stop. The execution's state shows when it has."),
        );
      return answer;
    },
    ["stop"],
    vscode.l10n.t("No tracked execution can be stopped."),
  );
}

function stopQuestion(execution: Execution): Question {
  const place = crewAndPlace(execution);
  return {
    title: vscode.l10n.t("Stop “{0}”?", titleOf(execution)),
    parts: [
      isLocalCrew(execution.crew)
        ? vscode.l10n.t(
            "{0} ends it for good: the task under way is abandoned, and nothing continues it. Outputs that you have stay here.",
            place,
          )
        : vscode.l10n.t(
            "A request to stop is sent to {0}. Not every deployed crew can stop an execution; if this one does, it ends for good. Its state shows whether it stopped.",
            place,
          ),
    ],
    allow: vscode.l10n.t("Stop Execution"),
  };
}

/** Takes `{crew?, kickoffId?}`; `kickoffId` may also be a status URL, which includes the crew. */
export function trackVerb(parts: ExecutionParts) {
  const { crews, store, poller, clock, page } = parts;
  return async (argument: unknown) => {
    const wanted = await whatToTrack(parts, argument);
    if (wanted === undefined) return undefined;
    const { kickoffId } = wanted;
    const crew = await crews.ready(wanted.crew);
    const engine = crew.local?.engine;
    // Another window may have just added it, and two records could each send feedback.
    store.refresh();
    const execution =
      store.find(kickoffId, crew.id) ??
      store.add(
        newExecution({ crew, origin: "tracked", kickoffId, ...defined({ engine }) }, clock),
      );
    await poller.pollNow(execution.localId);
    await page.open(store.summary(execution.localId) ?? execution);
    return namesOf({ ...execution, crew });
  };
}

type StatusAddress = NonNullable<ReturnType<typeof readStatusAddress>>;

async function whatToTrack({ targets, crews, store }: ExecutionParts, argument: unknown) {
  const { kickoffId: named, crew: wanted } = readTarget(argument);
  // In the menu of an execution that has no ID yet: the person knows it.
  const isLocalId = named !== undefined && store.find(named)?.kickoffIds.length === 0;
  const given = isLocalId || named === undefined ? undefined : readId(named);
  if (given?.url !== undefined) return ofAddress(crews, given, wanted);
  const crew = await targets.crew(argument);
  const id = crew && (given ?? (await askForId(crew.name)));
  if (crew === undefined || id === undefined || id.kickoffId === "") return undefined;
  return id.url === undefined ? { crew, kickoffId: id.kickoffId } : ofAddress(crews, id);
}

function ofAddress(
  crews: ExecutionParts["crews"],
  { url, kickoffId }: StatusAddress,
  wanted?: string,
) {
  const crew = crews.find(url);
  if (crew === undefined || (wanted !== undefined && crews.get(wanted).id !== crew.id))
    throw new UserError(
      vscode.l10n.t("The address is of a crew at {0}, which is another one or not connected.", url),
      crew === undefined ? [{ ...addCrewAction(), arguments: [{ by: "link", url }] }] : [],
    );
  return { crew, kickoffId };
}

function askForId(crewName: string) {
  return askFor(readId, {
    title: vscode.l10n.t("Track an execution of “{0}”", crewName),
    prompt: vscode.l10n.t("The kickoff ID from the response of POST /kickoff, or its status URL"),
    placeHolder: "3f2a8c1e-0000-4000-8000-000000000000",
  });
}

/** Specified as a UUID, but a crew may use others: refuses only what can't be part of a path. */
function readId(typed: string): StatusAddress | { readonly kickoffId: string; url?: undefined } {
  const address = typed.includes("/") ? readStatusAddress(typed) : undefined;
  const read = address ?? { kickoffId: typed.trim() };
  if (/[\s/?#\\]/.test(read.kickoffId))
    throw new UserError(
      vscode.l10n.t("An ID has no spaces and no slashes. Paste only the ID, or its status URL."),
    );
  return read;
}
