import * as vscode from "vscode";
import { readStatusAddress } from "../api/address.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import { addCrewAction } from "../crews/errors.ts";
import { readTarget } from "../editor/arguments.ts";
import { newExecution } from "../executions/reduce.ts";
import type { Crews } from "../crews/crews.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Poller } from "../executions/poller.ts";
import type { Pages } from "../views/page/register.ts";
import { namesOf, type Targets } from "./targets.ts";

export interface TrackParts {
  readonly targets: Pick<Targets, "crew">;
  readonly store: Pick<ExecutionStore, "add" | "find" | "refresh" | "summary">;
  readonly crews: Pick<Crews, "find" | "get" | "ready">;
  readonly poller: Pick<Poller, "pollNow">;
  readonly page: Pick<Pages, "open">;
  readonly clock: Clock;
}

/** Takes `{crew?, kickoffId?}`; `kickoffId` may also be a status URL, which includes the crew. */
export function trackVerb(parts: TrackParts) {
  const { crews, store, poller, clock, page } = parts;
  return async (argument: unknown) => {
    const wanted = await whatToTrack(parts, argument);
    if (wanted === undefined) return undefined;
    const { kickoffId } = wanted;
    const problem = problemOfId(kickoffId);
    if (problem !== undefined) throw new UserError(problem);
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

async function whatToTrack({ targets, crews, store }: TrackParts, argument: unknown) {
  const { kickoffId: named, crew: wanted } = readTarget(argument);
  // In the menu of an execution that has no ID yet: the person knows it.
  const isLocalId = named !== undefined && store.find(named)?.kickoffIds.length === 0;
  const given = isLocalId ? undefined : named;
  const address = addressIn(given);
  if (address !== undefined) return ofAddress(crews, address, wanted);
  const crew = await targets.crew(argument);
  const text = crew && (given ?? (await askForId(crew.name)))?.trim();
  if (crew === undefined || text === undefined || text === "") return undefined;
  const pasted = given === undefined ? addressIn(text) : undefined;
  return pasted === undefined ? { crew, kickoffId: text } : ofAddress(crews, pasted);
}

/** @param wanted the crew in the argument */
function ofAddress(
  crews: TrackParts["crews"],
  { url, kickoffId }: NonNullable<ReturnType<typeof addressIn>>,
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

function askForId(crewName: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t("Track an execution of “{0}”", crewName),
    prompt: vscode.l10n.t("The kickoff ID from the response of POST /kickoff, or its status URL"),
    placeHolder: "3f2a8c1e-0000-4000-8000-000000000000",
    ignoreFocusOut: true,
    validateInput(text) {
      try {
        return addressIn(text) === undefined ? problemOfId(text.trim()) : undefined;
      } catch (error) {
        return messageOf(error);
      }
    },
  });
}

function addressIn(text = "") {
  return text.includes("/") ? readStatusAddress(text) : undefined;
}

/** Specified as a UUID, but a crew may use others: refuse only what can't be part of a path. */
function problemOfId(text: string): string | undefined {
  return /[\s/?#\\]/.test(text)
    ? vscode.l10n.t("An ID has no spaces and no slashes. Paste only the ID, or its status URL.")
    : undefined;
}
