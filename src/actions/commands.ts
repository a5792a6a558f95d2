import type * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import type { Callbacks } from "../callbacks/callbacks.ts";
import type { Crews } from "../crews/crews.ts";
import type { Crew } from "../crews/types.ts";
import type { Executions } from "../executions/executions.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { KickoffRoom } from "../kickoff/register.ts";
import type { LocalCrews } from "../local/local-crews.ts";
import type { Models } from "../models/models.ts";
import type { Senders } from "../sending/senders.ts";
import type { Database } from "../store/database.ts";
import type { ComparisonRoom } from "../views/comparison/register.ts";
import type { DocumentsRoom } from "../views/document/register.ts";
import type { PageRoom } from "../views/page/register.ts";
import type { Prices } from "../views/prices.ts";
import type { Timeline } from "../views/timeline/register.ts";
import type { TreeRoom } from "../views/tree/register.ts";
import { callbackCommands } from "./callbacks.ts";
import { onExecution } from "./choose.ts";
import { compareCommands } from "./compare.ts";
import { crewCommands } from "./crews.ts";
import { deleteLocalData } from "./delete-local-data.ts";
import { executionCommands } from "./executions.ts";
import { exportCommands } from "./export.ts";
import { answerCommands } from "./answer.ts";
import { type Asker, person } from "./asker.ts";
import type { Feedback } from "./feedback.ts";
import { kickoffCommand } from "./kickoff.ts";
import { outputCommands } from "./outputs.ts";
import { reportProblem } from "./report-problem.ts";
import { requestCommands } from "./requests.ts";
import { stopCommand } from "./stop.ts";
import { viewCommands } from "./view.ts";

/** Undefined if the person cancels. `selected`: all rows, if several are selected in the view. */
export type Run = (argument: unknown, by: Asker, selected?: unknown) => unknown;

/** By the command's ID without "crewdeck.". */
export type Commands = Readonly<Record<string, Run>>;

export interface CommandParts
  extends
    Pick<Executions, "store" | "tracker" | "lease">,
    Pick<Senders, "secrets">,
    Pick<KickoffRoom, "forms" | "files"> {
  readonly context: vscode.ExtensionContext;
  readonly clock: Clock;
  readonly database: Database;
  readonly crews: Crews;
  readonly executions: Executions;
  readonly sending: Senders;
  readonly sender: Pick<Senders, "send">;
  readonly feedback: Feedback;
  readonly callbacks: () => Promise<
    Pick<Callbacks, "test" | "take" | "forgetRoutes" | "flows" | "forFlows">
  >;
  readonly locals: LocalCrews;
  readonly models: () => Promise<Models>;
  readonly tree: TreeRoom;
  /** Text or page, as the person reads executions. */
  readonly documents: { show(execution: ExecutionSummary, taskId?: string): Promise<unknown> };
  readonly page: Pick<PageRoom, "switchTo">;
  readonly outputs: DocumentsRoom["outputs"];
  readonly timeline: Timeline;
  readonly prices: Pick<Prices, "list">;
  readonly comparisons: Pick<ComparisonRoom, "open">;
}

export function commandTable(parts: CommandParts): Commands {
  const kickoff = kickoffCommand(parts);
  const kickOff = async ({ id }: Crew) => await kickoff({ crew: id, form: true }, person);
  return {
    ...crewCommands({ ...parts, kickOff }),
    ...requestCommands(parts),
    ...executionCommands(parts),
    ...outputCommands(parts),
    ...answerCommands(parts),
    ...viewCommands(parts),
    ...exportCommands(parts),
    ...compareCommands(parts),
    ...callbackCommands(parts),
    kickoff,
    stop: stopCommand(parts),
    showTimeline: onExecution(parts, (execution) => parts.timeline.show(execution)),
    reportProblem: (_argument, by) => reportProblem(parts, by),
    deleteLocalData: (argument, by) => deleteLocalData(parts, argument, by),
  };
}
