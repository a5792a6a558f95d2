import * as l10n from "@vscode/l10n";
import { UserError } from "../editor/errors.ts";

/** The pause that feedback was written for is over: answered elsewhere, ended, or another attempt waits. Nothing was sent. */
export class StaleFeedbackError extends UserError {
  constructor(why: string) {
    super(l10n.t("Your feedback was not sent: {0}", why));
    this.name = "StaleFeedbackError";
  }
}

/** Feedback left, now or earlier, and nobody knows whether it arrived. Only a person may say that it is sent again. */
export class MaybeSentError extends UserError {
  constructor(message: string, cause?: unknown) {
    super(message);
    this.name = "MaybeSentError";
    this.cause = cause;
  }
}
