import * as l10n from "@vscode/l10n";
import type { CrewApiError } from "../api/errors.ts";

/** Why an execution is not up to date, in as few words as a row has room for; the whole message is in its tooltip. */
export function problemInWords({ kind, status, tokenType }: CrewApiError): string {
  switch (kind) {
    case "unauthorized":
      if (tokenType === undefined) return l10n.t("token refused");
      return tokenType === "bearer"
        ? l10n.t("organisation's token refused")
        : l10n.t("user's token refused");
    case "forbidden":
      return tokenType === "userBearer"
        ? l10n.t("user's token may lack the right")
        : l10n.t("not allowed");
    case "unreachable":
      return l10n.t("crew unreachable");
    case "timeout":
      return l10n.t("no answer");
    case "rateLimited":
      return l10n.t("crew asks to wait");
    case "redirected":
      return l10n.t("redirected");
    default:
      return status === undefined
        ? l10n.t("answer not understood")
        : l10n.t("crew answers {0}", status);
  }
}
