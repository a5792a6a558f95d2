import * as vscode from "vscode";
import type { Clock } from "../api/clock.ts";
import type { Crews } from "../crews/crews.ts";
import { Disposables } from "../editor/disposables.ts";
import { viewId } from "../editor/ids.ts";
import { logProblem } from "../editor/log.ts";
import type { Executions } from "../executions/executions.ts";
import type { Execution } from "../executions/model.ts";
import { KickoffForms } from "./forms.ts";
import { KickoffSender } from "./start.ts";
import { createFormTools } from "./tools.ts";

/** What kicking off works with. */
export interface KickoffRoomOptions {
  readonly context: Pick<vscode.ExtensionContext, "extensionUri" | "globalStorageUri">;
  readonly crews: Crews;
  readonly executions: Executions;
  readonly clock: Clock;
  /** Makes sure that a local crew's service runs; nothing to do for a deployed one. */
  readonly wake: (crewId: string) => Promise<void>;
  /** Shows an execution's document. */
  readonly show: (execution: Execution) => Promise<unknown>;
}

/** Kicking off, as the other parts use it. */
export interface KickoffRoom {
  readonly sender: KickoffSender;
  readonly forms: KickoffForms;
  /** Ends all of it. */
  dispose(): void;
}

/** Registers the kickoff forms and what starts executions. */
export function registerKickoff({ context, crews, executions, clock, wake, show }: KickoffRoomOptions): KickoffRoom {
  const { store, intents, secrets, tracker } = executions;
  const owned = new Disposables();
  const sender = new KickoffSender({ store, intents, secrets, clock, clientFor: (crew) => crews.client(crew), poll: (localId) => void tracker.pollNow(localId) });
  const showOrLog = (execution: Execution) => show(execution).catch((error: unknown) => logProblem("Showing an execution", error));
  const forms = owned.add(
    new KickoffForms({
      context,
      crews,
      sender,
      tools: createFormTools(),
      clock,
      wake,
      onStarted: (execution) => void showOrLog(execution),
      onOpenExecution: (execution) => void (execution ? showOrLog(execution) : vscode.commands.executeCommand(`${viewId}.focus`)),
    }),
  );
  return { sender, forms, dispose: () => owned.dispose() };
}
