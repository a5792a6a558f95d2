import * as vscode from "vscode";
import { readStatusAddress } from "../api/address.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import { addCrewAction } from "../crews/errors.ts";
import { readTarget } from "../editor/arguments.ts";
import { keyOf } from "../executions/model.ts";
import { newExecution } from "../executions/reduce.ts";
import { chooseCrew } from "./choose.ts";
import type { ExecutionParts } from "./executions.ts";

/** Takes `{crew?, kickoffId?}`; `kickoffId` may also be a status URL, which includes the crew. */
export async function track(
  { crews, store, tracker, clock, documents }: ExecutionParts,
  argument: unknown,
): Promise<object | undefined> {
  const wanted = await whatToTrack({ crews, store }, argument);
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
    store.add(newExecution({ crew, origin: "tracked", kickoffId, ...defined({ engine }) }, clock));
  await tracker.pollNow(execution.localId);
  await documents.show(store.summary(execution.localId) ?? execution);
  return { crew: crew.name, kickoffId: keyOf(execution) };
}

async function whatToTrack(
  { crews, store }: Pick<ExecutionParts, "crews" | "store">,
  argument: unknown,
) {
  const { kickoffId: named, crew: wanted } = readTarget(argument);
  // In the menu of an execution that has no ID yet: the person knows it.
  const isLocalId = named !== undefined && store.find(named)?.kickoffIds.length === 0;
  const given = isLocalId ? undefined : named;
  const address = given === undefined ? undefined : addressIn(given);
  if (address !== undefined) return ofAddress(crews, address, wanted);
  const crew = await chooseCrew(crews, argument);
  const text = crew && (given ?? (await askForId(crew.name)));
  if (crew === undefined || text === undefined) return undefined;
  const pasted = addressIn(text);
  return pasted === undefined ? { crew, kickoffId: text.trim() } : ofAddress(crews, pasted);
}

/** @param wanted the crew in the argument */
function ofAddress(
  crews: ExecutionParts["crews"],
  { url, kickoffId }: NonNullable<ReturnType<typeof addressIn>>,
  wanted?: string,
) {
  const crew = crews.find(url);
  if (crew === undefined)
    throw new UserError(
      vscode.l10n.t(
        "No crew is connected at {0}, which this address names. Connect it first.",
        url,
      ),
      [{ ...addCrewAction(), arguments: [{ by: "link", url }] }],
    );
  const other = wanted === undefined ? crew : crews.get(wanted);
  if (other.id === crew.id) return { crew, kickoffId };
  throw new UserError(
    vscode.l10n.t("The address is one of “{0}”, not of “{1}”.", crew.name, other.name),
  );
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

function addressIn(text: string) {
  return text.includes("/") ? readStatusAddress(text) : undefined;
}

/** Specified as a UUID, but a crew may use others: refuse only what can't be part of a path. */
function problemOfId(text: string): string | undefined {
  if (text === "") return vscode.l10n.t("Type the ID, or press Escape to cancel.");
  return /[\s/?#\\]/.test(text)
    ? vscode.l10n.t("An ID has no spaces and no slashes. Paste only the ID, or its status URL.")
    : undefined;
}
