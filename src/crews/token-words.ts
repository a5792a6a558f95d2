import * as l10n from "@vscode/l10n";
import type { TokenType } from "../api/types.ts";

/** The name that the dashboard has for a kind of token. */
export function tokenTypeName(type: TokenType): string {
  return type === "bearer" ? l10n.t("Bearer Token") : l10n.t("User Bearer Token");
}

/** Whose token it is, with the dashboard's name for it: what a person reads where the kind matters. */
export function tokenInWords(type: TokenType): string {
  return type === "bearer"
    ? l10n.t("the organisation's token (Bearer Token)")
    : l10n.t("the user's token (User Bearer Token)");
}
