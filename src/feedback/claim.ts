import * as l10n from "@vscode/l10n";
import type { Clock } from "../base/clock.ts";
import { type Intent, type Intents, isAlive, resumeKey } from "../executions/intents.ts";
import type { Execution, Feedback } from "../executions/model.ts";
import { LONGEST_REQUEST } from "../executions/recover.ts";
import { resumesOf, type ResumeTarget } from "../executions/resumes.ts";
import { MaybeSentError } from "./errors.ts";

/**
 * Claims the right to send feedback for one output, against other windows and clicks, and returns the claim's key. A claim
 * that a crash left behind before anything was sent, and with `again` one that was used, gives way to the next number: all
 * who try go for the same one, and one of them gets it.
 * Throws {@link MaybeSentError} when somebody else has the claim.
 */
export async function claimResume(
  { intents, clock }: { readonly intents: Pick<Intents, "all" | "claim">; readonly clock: Clock },
  execution: Execution,
  target: ResumeTarget,
  { at }: Feedback,
  again: boolean,
): Promise<string> {
  const sent = resumesOf(execution, target);
  for (let number = again ? sent.length : 0; ; number++) {
    const key = resumeKey(execution.localId, target.taskId, target.attempt, number);
    if (await intents.claim(key, { at })) return key;
    const earlier = (await intents.all()).find((intent) => intent.key === key);
    const record = sent.find((resume) => resume.feedback.at === atOf(earlier));
    // Another process may have the dead one's number by now, so that a claim without a record does not hold for ever.
    const isOld = clock.now() - Date.parse(String(atOf(earlier))) > LONGEST_REQUEST;
    const isLeftBehind =
      earlier !== undefined && record === undefined && (isOld || !isAlive(earlier));
    // An unreadable claim is nobody's for a person who knows that it may be sent twice.
    const isUsed =
      again && (earlier === undefined || (record !== undefined && record.outcome !== "sending"));
    if (!isLeftBehind && !isUsed)
      throw new MaybeSentError(
        l10n.t("Feedback for this output is being sent, or was sent, from another window."),
      );
  }
}

function atOf(intent: Intent | undefined): unknown {
  return intent !== undefined && "at" in intent.content ? intent.content.at : undefined;
}
