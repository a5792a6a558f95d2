import * as l10n from "@vscode/l10n";
import { UserError } from "../base/errors.ts";

/** Servers refuse headers of 8 KB and more. */
const maxTokenLength = 7000;

/** Removes white space, quotes, "Bearer" and "Authorization:" around a pasted token. */
export function tokenIn(text: string): string {
  return text
    .trim()
    .replace(/^(["'`])(.*)\1$/s, "$2")
    .replace(/^authorization:\s*/i, "")
    .replace(/^bearer\s+/i, "")
    .trim();
}

/** Parts of what a token was copied from. */
const around = [
  // Base64 has “=” only at its end.
  /^[a-z_][\w.-]*=+[^=]/i,
  /^(?:[\w.-]*[_.-])?(?:token|secret|key)=+$/i,
  /^(?:[A-Z_]*(?:TOKEN|SECRET|KEY)|[Tt]oken|[Aa]uthorization)["']?:/,
  /^bearer(?:[:+]|$)/i,
  // A variable or a placeholder.
  /^\$(?:env:|[a-z_]\w*$|[{(])/i,
  /^(?:%\w+%|<.+>|\{\{.+\}\})$/,
  /:\/\//,
];

/** A header takes visible ASCII only; an error about it would quote the token. */
export function describeTokenProblem(token: string): string | undefined {
  if (token === "") return l10n.t("Paste the token.");
  if (token.length > maxTokenLength) return l10n.t("This is too long for a token.");
  if (around.some((pattern) => pattern.test(token)))
    return l10n.t(
      "This is a variable, a header or an address rather than a token. Paste only the value of the token.",
    );
  if (/%[2-7][0-9a-f]/i.test(token))
    return l10n.t(
      "This is encoded for an address, such as “%20” for a space. Paste the token as the crew's page shows it.",
    );
  return /^[\x21-\x7e]+$/.test(token)
    ? undefined
    : l10n.t(
        "A token has only letters, digits and signs. This text has a space, a line break or another character.",
      );
}

/** The token in a pasted text. @throws UserError, which doesn't quote it */
export function cleanToken(text: string): string {
  const token = tokenIn(text);
  const problem = describeTokenProblem(token);
  if (problem !== undefined) throw new UserError(problem);
  return token;
}
