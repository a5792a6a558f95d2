import * as l10n from "@vscode/l10n";
import type { TokenType } from "./types.ts";

/** The answer's words for a person, and whose token they are about. */
interface RefusedToken {
  readonly kind: "unauthorized" | "forbidden";
  readonly intro: string;
  readonly remedy: string;
  readonly tokenType?: TokenType;
}

/** What 401 and 403 mean (specification, Authentication and error codes; 403 is not shown there, and is treated as a lack of rights), by whose token was sent. */
export function refusedToken(
  status: 401 | 403,
  tokenType: TokenType | undefined,
  isLocal: boolean,
): RefusedToken {
  const words = {
    ...(status === 401 ? notAccepted(tokenType) : notAllowed(tokenType)),
    ...(isLocal && {
      remedy: l10n.t(
        "The extension made the local crew's tokens. Stop the crew and start it again.",
      ),
    }),
  };
  return {
    kind: status === 401 ? "unauthorized" : "forbidden",
    ...words,
    ...(tokenType === undefined ? {} : { tokenType }),
  };
}

function notAccepted(tokenType: TokenType | undefined): { intro: string; remedy: string } {
  switch (tokenType) {
    case "bearer":
      return {
        intro: l10n.t("The crew does not accept the organisation's token"),
        remedy: l10n.t(
          "Set the organisation's token again: it is the Bearer Token in the Status tab of the crew's page in the dashboard.",
        ),
      };
    case "userBearer":
      return {
        intro: l10n.t("The crew does not accept the user's token"),
        remedy: l10n.t(
          "Set the user's token again: it is the User Bearer Token in the Status tab of the crew's page in the dashboard.",
        ),
      };
    case undefined:
      return {
        intro: l10n.t("The crew does not accept the token"),
        remedy: l10n.t(
          "Set the crew's token again: it is in the Status tab of the crew's page in the dashboard.",
        ),
      };
  }
}

function notAllowed(tokenType: TokenType | undefined): { intro: string; remedy: string } {
  switch (tokenType) {
    case "bearer":
      return {
        intro: l10n.t("The organisation's token may not do this"),
        remedy: l10n.t(
          "It has all the rights that a token can have, so look at the crew's page in the dashboard, or ask who looks after the crew.",
        ),
      };
    case "userBearer":
      return {
        intro: l10n.t("The user's token may not do this"),
        remedy: l10n.t(
          "It may lack the right: use the organisation's token, which is the Bearer Token in the Status tab of the crew's page in the dashboard.",
        ),
      };
    case undefined:
      return {
        intro: l10n.t("The token may not do this"),
        remedy: l10n.t(
          "Use a token with more rights (the Bearer Token rather than the User Bearer Token), which is in the Status tab of the crew's page in the dashboard.",
        ),
      };
  }
}
