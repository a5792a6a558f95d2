import * as vscode from "vscode";
import { AddressError, readStatusAddress, type StatusAddress } from "../api/address.ts";
import { addCrewAction } from "../crews/actions.ts";
import type { Crews } from "../crews/crews.ts";
import type { Crew } from "../crews/types.ts";
import { UserError } from "../base/errors.ts";
import { keyOf } from "../executions/model.ts";
import { newExecution } from "../executions/reduce.ts";
import { recordOf, stringOf, targetOf } from "./arguments.ts";
import { chooseCrew } from "./choose.ts";
import type { ExecutionParts } from "./executions.ts";

/**
 * Follows an execution that something else started. The id may be a status address as a person copies it, which names the crew as well.
 * @param argument `{crew?, kickoffId?}`; what is missing is asked for
 * @returns `{crew, kickoffId}`, or nothing when the person cancelled
 * @throws UserError for an unknown crew or what can be no id
 */
export async function track(
  { crews, store, tracker, clock, wake, show }: ExecutionParts,
  argument: unknown,
): Promise<object | undefined> {
  const named = await whatToTrack(crews, argument);
  if (named === undefined) return undefined;
  const { crew, kickoffId } = named;
  await wake(crew.id);
  const engine = crew.local?.engine;
  // Another window may have just started or tracked it: of two records, each could send feedback.
  store.refresh();
  const execution =
    store.find(kickoffId, crew.id) ??
    store.add(
      newExecution(
        { crew, origin: "tracked", kickoffId, ...(engine === undefined ? {} : { engine }) },
        clock,
      ),
    );
  await tracker.pollNow(execution.localId);
  await show(store.summary(execution.localId) ?? execution);
  return { crew: crew.name, kickoffId: keyOf(execution) };
}

async function whatToTrack(
  crews: Crews,
  argument: unknown,
): Promise<{ readonly crew: Crew; readonly kickoffId: string } | undefined> {
  const given = stringOf(recordOf(argument), "kickoffId");
  const address = given === undefined ? undefined : addressIn(given);
  if (given !== undefined && address !== undefined)
    return ofAddress(crews, address, targetOf(argument).crew);
  const crew = await chooseCrew(crews, argument);
  if (crew === undefined) return undefined;
  const text = given ?? (await askForId(crew.name));
  if (text === undefined) return undefined;
  const pasted = addressIn(text);
  if (pasted !== undefined) return ofAddress(crews, pasted, undefined);
  const problem = problemOfId(text.trim());
  if (problem !== undefined) throw new UserError(problem);
  return { crew, kickoffId: text.trim() };
}

/** An address says by itself which crew is meant; a program that names another one is told so. */
function ofAddress(
  crews: Crews,
  { url, kickoffId }: StatusAddress,
  wanted: string | undefined,
): { readonly crew: Crew; readonly kickoffId: string } {
  const crew = crews.find(url);
  if (crew === undefined)
    throw new UserError(
      vscode.l10n.t(
        "No crew is connected at {0}, which this address names. Connect it first.",
        url,
      ),
      [{ ...addCrewAction(), arguments: [{ kind: "link", url }] }],
    );
  if (wanted !== undefined && crews.get(wanted).id !== crew.id)
    throw new UserError(
      vscode.l10n.t(
        "The address is one of “{0}”, not of “{1}”.",
        crew.name,
        crews.get(wanted).name,
      ),
    );
  const problem = problemOfId(kickoffId);
  if (problem !== undefined) throw new UserError(problem);
  return { crew, kickoffId };
}

function askForId(crewName: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t("Track an execution of “{0}”", crewName),
    prompt: vscode.l10n.t(
      "The kickoff ID that POST /kickoff answered with, or the address of its status",
    ),
    placeHolder: "3f2a8c1e-0000-4000-8000-000000000000",
    ignoreFocusOut: true,
    validateInput: (text) => {
      try {
        return addressIn(text) === undefined ? problemOfId(text.trim()) : undefined;
      } catch (error) {
        return error instanceof AddressError ? error.message : String(error);
      }
    },
  });
}

function addressIn(text: string): StatusAddress | undefined {
  return text.includes("/") ? readStatusAddress(text) : undefined;
}

/** The specification calls the id a UUID; a crew may have others, so only what can't be a part of a path is refused. */
function problemOfId(text: string): string | undefined {
  if (text === "") return vscode.l10n.t("Type the ID, or press Escape to leave.");
  return /[\s/?#\\]/.test(text)
    ? vscode.l10n.t(
        "An ID has no spaces and no slashes. Paste only the ID, or the whole address of its status.",
      )
    : undefined;
}
