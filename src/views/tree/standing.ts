import * as l10n from "@vscode/l10n";
import { type ExecutionSummary, waitsForPerson } from "../../executions/model.ts";

/** Where executions stand as groups and filter tell them apart, in the order in which groups are shown: what wants a person first, what is over last. */
export const standings = [
  "waiting",
  "running",
  "queued",
  "unconfirmed",
  "unknown",
  "failed",
  "completed",
  "stopped",
] as const;

/** One of {@link standings}. `waiting` is also what may be waiting, since that wants the same of a person. */
export type Standing = (typeof standings)[number];

/** Where an execution stands. An id that its crew has never known is likelier mistyped than waiting. */
export function standingOf(execution: ExecutionSummary): Standing {
  return waitsForPerson(execution) ? "waiting" : execution.state;
}

/** A standing as the name of a group. */
export function standingInWords(standing: Standing): string {
  switch (standing) {
    case "waiting":
      return l10n.t("Waiting for you");
    case "running":
      return l10n.t("Running");
    case "queued":
      return l10n.t("Queued");
    case "unconfirmed":
      return l10n.t("May have started");
    case "unknown":
      return l10n.t("Not known");
    case "failed":
      return l10n.t("Failed");
    case "completed":
      return l10n.t("Completed");
    case "stopped":
      return l10n.t("Stopped");
  }
}
