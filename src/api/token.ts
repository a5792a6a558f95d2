import * as l10n from "@vscode/l10n";
import { CrewApiError } from "./errors.ts";
import type { TokenType } from "./types.ts";

/** A token and whose it is: an error says which of a crew's two was refused. */
export interface TypedToken {
  readonly token: string;
  readonly type: TokenType;
}

/**
 * The value of the Authorization header for a token of either type (specification, Authentication).
 * @throws {CrewApiError} `unauthorized`, nothing sent, where there is no token or one that no header can carry
 */
export function authorization(token: string): string {
  if (token === "") throw unusable(l10n.t("There is no token for this crew."));
  if (/[^\x20-\x7e\xa0-\xff]/.test(token)) {
    throw unusable(
      l10n.t(
        "The token holds a character that can't be sent, such as a line break or a letter of another script.",
      ),
    );
  }
  return `Bearer ${token}`;
}

function unusable(message: string): CrewApiError {
  return new CrewApiError({
    kind: "unauthorized",
    message,
    remedy: l10n.t(
      "Copy the token again from the Status tab of the crew's page in the dashboard, without anything around it.",
    ),
  });
}

/** Takes the token (or another secret) out of a text that came from elsewhere: a crew may repeat what it was sent. */
export function withoutToken(text: string, token: string, instead = "[token]"): string {
  const forms = new Set([
    token,
    JSON.stringify(token).slice(1, -1),
    encodeURIComponent(token.replace(/\p{Cs}/gu, "\uFFFD")),
  ]);
  let clean = text;
  for (const form of forms) clean = clean.replaceAll(form, instead);
  return clean;
}
