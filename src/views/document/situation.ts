import * as l10n from "@vscode/l10n";
import {
  isLocalCrew,
  isNeverSeen,
  type Execution,
  type ResumeSummary,
} from "../../executions/model.ts";
import { answeredPause } from "../../executions/resumes.ts";
import { inlineText } from "./markdown.ts";
import { mayBeWaitingSection } from "./section-ids.ts";
import { assemble, type Part, type Rendered } from "./sections.ts";

/** What a person should know or do where the state alone does not say it; every such state has a next step. */
export function situationPart(execution: Execution): Part[] {
  const parts: Part[] = [];
  if (execution.state === "unconfirmed") {
    parts.push({
      id: "unconfirmed",
      lines: [
        l10n.t(
          "The kickoff was sent, but no answer came that says whether it started. It may have. It is not sent again by itself, since a kickoff can cost money.",
        ),
        "",
        isLocalCrew(execution.crew)
          ? l10n.t(
              "Look in the local crew's log. If it runs there, use “Crewdeck: Track an Execution by Its ID…” with its ID; then, or if it does not run, remove this one from the list.",
            )
          : l10n.t(
              "Look in the crew's dashboard or its log. If it runs there, use “Crewdeck: Track an Execution by Its ID…” with its ID; then, or if it does not run, remove this one from the list.",
            ),
      ],
    });
  }
  if (execution.state === "unknown" && execution.mayBeWaiting === true) {
    const [heading, ...words] = isNeverSeen(execution)
      ? [
          l10n.t("The crew does not know this ID"),
          l10n.t(
            "Check the ID, and that it is of an execution of this crew. If it is wrong, remove this one from the list and track the right ID.",
          ),
          "",
          l10n.t(
            "If it is right, the execution may be waiting for you: a deployed crew's pause reads the same. Which task waits is told only to its human-input callback.",
          ),
        ]
      : [
          l10n.t("It may be waiting for you"),
          l10n.t(
            "The crew no longer knows this ID. A deployed crew that waits for a person looks the same: which task waits is told only to its human-input callback.",
          ),
        ];
    parts.push({
      id: mayBeWaitingSection,
      lines: [
        `## ${heading}`,
        "",
        ...words,
        "",
        l10n.t(
          "If you know the task's ID, give feedback here. If it does not wait, the crew says so and nothing is lost.",
        ),
      ],
    });
  }
  const taken = answeredPause(execution);
  if (taken !== undefined)
    parts.push({ id: "answered pause", lines: [answeredPauseInWords(taken, execution)] });
  if (execution.watchingStoppedAt !== undefined) {
    parts.push({
      id: "stopped watching",
      lines: [
        l10n.t(
          "After a day without an end this execution is no longer asked for. “Watch Again” goes on.",
        ),
      ],
    });
  }
  return parts;
}

/** The crew took feedback and reports the pause all the same: for a moment it lags; then a person is needed. */
function answeredPauseInWords(
  { taskId, feedback }: ResumeSummary,
  { waiting, crew }: Execution,
): string {
  const task = inlineText(taskId);
  const words = feedback.isApprove
    ? l10n.t(
        "You approved the output of “{0}” and the crew took that, but it still reports the pause.",
        task,
      )
    : l10n.t(
        "You rejected the output of “{0}” and the crew took that, but it still reports the pause.",
        task,
      );
  if (waiting === undefined)
    return `${words} ${l10n.t("Most likely it is only slow. Nothing is sent again by itself.")}`;
  const look = isLocalCrew(crew)
    ? l10n.t("The local crew's log may say why.")
    : l10n.t("The crew's dashboard or its log may say why.");
  return `${words} ${look} ${l10n.t("“Send again…” sends the same feedback once more; it asks first.")}`;
}

/** The document of an id that nothing is known of here. */
export function renderMissing(crewName: string, kickoffId: string): Rendered {
  return assemble([
    { id: "title", lines: [`# ${l10n.t("Not tracked here")}`] },
    {
      id: "state",
      lines: [
        l10n.t(
          "No execution {0} of the crew “{1}” is tracked on this machine. It may have been removed from the list, or belong to another machine.",
          `\`${kickoffId.replaceAll("`", "'")}\``,
          inlineText(crewName),
        ),
        "",
        l10n.t(
          "To follow it here, run “Crewdeck: Track an Execution by Its ID…” from the command palette and enter this ID.",
        ),
      ],
    },
  ]);
}
