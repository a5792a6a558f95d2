import * as l10n from "@vscode/l10n";

/** What to do first after a POST of which nobody knows whether it arrived: a sentence for a person. */
export function lookFirst(): string {
  return l10n.t("It may have arrived all the same: look before you send it again.");
}
