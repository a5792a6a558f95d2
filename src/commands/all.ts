import type * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import type { Crews } from "../crews/crews.ts";
import { log } from "../editor/log.ts";
import type { Executions } from "../executions/executions.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { FeedbackRoom } from "../feedback/register.ts";
import type { KickoffForms } from "../kickoff/form/forms.ts";
import type { KickoffSender } from "../sending/kickoff.ts";
import type { Sending } from "../sending/sending.ts";
import type { LocalCrews } from "../local/local-crews.ts";
import type { Database } from "../store/database.ts";
import { activeCommand } from "./active.ts";
import type { OutputsRoom } from "../views/document/register.ts";
import { compareCommand } from "./compare.ts";
import { deleteLocalDataCommand } from "./delete-local-data.ts";
import type { TreeRoom } from "../views/tree/register.ts";
import { crewCommands } from "./crews.ts";
import { draftsCommand } from "./drafts.ts";
import { executionCommands } from "./executions.ts";
import { feedbackCommands } from "./feedback.ts";
import { kickoffCommands } from "./kickoff.ts";
import type { RequestParts } from "./request-actions.ts";
import { requestCommands } from "./requests.ts";
import { localCommands } from "./local.ts";
import { outputCommands } from "./outputs.ts";
import { rawAnswerCommand } from "./raw-answer.ts";
import { reportCommand } from "./report-problem.ts";
import type { Command } from "./table.ts";
import { viewCommands } from "./view.ts";

/** What commands work with. */
export interface CommandParts {
  readonly context: vscode.ExtensionContext;
  readonly database: Database;
  readonly crews: Crews;
  readonly executions: Executions;
  readonly sending: Sending;
  readonly locals: LocalCrews;
  readonly sender: Pick<KickoffSender, "send">;
  readonly forms: Pick<KickoffForms, "open" | "closeAll">;
  readonly requests: Pick<RequestParts, "files" | "presets">;
  readonly feedback: FeedbackRoom;
  readonly tree: TreeRoom;
  readonly outputs: OutputsRoom;
  readonly clock: Clock;
  /** Makes sure that a local crew's service runs; nothing to do for a deployed one. */
  readonly wake: (crewId: string) => Promise<void>;
  readonly show: (execution: ExecutionSummary) => Promise<unknown>;
}

/** The command table. */
export function allCommands({
  context,
  database,
  crews,
  executions,
  sending,
  locals,
  sender,
  forms,
  requests,
  feedback,
  tree,
  outputs,
  clock,
  wake,
  show,
}: CommandParts): readonly Command[] {
  const { store, tracker } = executions;
  return [
    ...crewCommands(crews, locals, wake),
    ...kickoffCommands({ crews, forms, sender, clock, wake, show }),
    ...requestCommands({
      crews,
      store,
      secrets: sending.secrets,
      sender,
      forms,
      wake,
      show,
      ...requests,
    }),
    ...executionCommands({ crews, store, tracker, clock, wake, show }),
    activeCommand(store, show),
    ...outputCommands({ crews, store, outputs }),
    rawAnswerCommand({ crews, store, outputs, clock, wake }),
    ...feedbackCommands({ crews, store, wake, ...feedback }),
    draftsCommand({ crews, store, ...feedback }),
    compareCommand(store, crews),
    ...viewCommands({ crews, store, tree }),
    ...localCommands(crews, locals),
    { id: "showLog", run: () => log.show() },
    reportCommand({ context, crews, executions }),
    deleteLocalDataCommand({
      context,
      crews,
      executions,
      sending,
      locals,
      forms,
      tree,
      clock,
      database,
    }),
  ];
}
