import { filledText, neededFlag, neededText, read, text } from "../editor/arguments.ts";
import type { Timeline } from "../views/timeline/timeline.ts";
import { type AnswerParts, answerVerbs } from "./answer.ts";
import { type Asker, program } from "./asker.ts";
import { batchVerbs, type BatchVerbParts } from "./batch.ts";
import { type CallbackParts, callbackVerbs } from "./callbacks.ts";
import { type CrewParts, crewVerbs } from "./crews.ts";
import { deleteLocalData, type DeleteParts } from "./delete-local-data.ts";
import { type ExecutionParts, executionVerbs, stopVerb, trackVerb } from "./executions.ts";
import { type ExportParts, exportVerb } from "./export.ts";
import { type KickoffParts, kickoffVerb, requestMembers } from "./kickoff.ts";
import { type OutputParts, outputVerbs } from "./outputs.ts";
import { reportProblem, type ReportParts } from "./report-problem.ts";
import { type RequestParts, requestVerbs, saveAsTestVerb, type TestParts } from "./requests.ts";
import { Targets, type TargetsOptions } from "./targets.ts";
import { type ViewParts, viewVerbs } from "./view.ts";

/**
 * What a person, a program or a model can have done, by the command's ID without "crewdeck.".
 * Returns what was made; undefined if the person cancels.
 * @param selected all rows, if several are selected in the view
 */
export type Verb = (argument: unknown, by: Asker, selected?: readonly unknown[]) => unknown;
export type Verbs = ReturnType<typeof verbsOf>;

export type VerbParts = TargetsOptions &
  Omit<
    AnswerParts &
      BatchVerbParts &
      CallbackParts &
      CrewParts &
      DeleteParts &
      ExecutionParts &
      ExportParts &
      KickoffParts &
      OutputParts &
      ReportParts &
      RequestParts &
      TestParts &
      Parameters<typeof stopVerb>[0] &
      ViewParts,
    "kickoff" | "targets" | "trackExecution"
  > & {
    readonly timeline: Pick<Timeline, "show">;
    readonly tests: Record<"record" | "openAsExecution", (argument: unknown) => Promise<void>>;
  };

export function verbsOf(given: VerbParts) {
  const targets = new Targets(given);
  const parts = { ...given, targets };
  const kickoff = kickoffVerb(parts);
  const trackExecution = trackVerb(parts);
  return {
    ...crewVerbs({ ...parts, kickoff }),
    ...batchVerbs(parts),
    ...requestVerbs(parts),
    ...executionVerbs(parts),
    ...outputVerbs(parts),
    ...answerVerbs(parts),
    ...viewVerbs(parts),
    ...callbackVerbs({ ...parts, trackExecution }),
    kickoff,
    trackExecution,
    exportExecution: exportVerb(parts),
    stop: stopVerb(parts),
    saveAsTest: saveAsTestVerb(parts),
    recordTest: (argument: unknown) => parts.tests.record(argument),
    openTestAsExecution: (argument: unknown) => parts.tests.openAsExecution(argument),
    showTimeline: targets.onExecution((execution) => parts.timeline.show(execution)),
    reportProblem: (_argument: unknown, by: Asker) => reportProblem(parts, by),
    deleteLocalData: (argument: unknown, by: Asker) => deleteLocalData(parts, argument, by),
  };
}

const target = { crew: text, kickoffId: neededText };
const feedbackMembers = { ...target, taskId: filledText, feedback: text, isApprove: neededFlag };

export function apiOf(verbs: Pick<Verbs, "approve" | "kickoff" | "reject" | "stop">) {
  return {
    async kickoff(given: unknown) {
      const request = read({ ...requestMembers, crew: neededText }, given);
      return made(await verbs.kickoff({ ...request, form: false }));
    },
    async resume(given: unknown) {
      const { isApprove, feedback = "", ...rest } = read(feedbackMembers, given);
      const answer = await verbs[isApprove ? "approve" : "reject"]({ ...rest, feedback }, program);
      const { status, message } = made(answer);
      return { status, message };
    },
    stop: async (given: unknown) => made(await verbs.stop(read(target, given), program)),
  };
}

function made<Made>(what: Made | undefined): Made {
  if (what === undefined) throw new Error("A program was asked something.");
  return what;
}
