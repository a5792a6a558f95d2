import * as l10n from "@vscode/l10n";
import { normaliseAddress } from "../api/address.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { withoutEndSlashes } from "../base/text.ts";

/** A deep link: to add a crew, or with an ID to track its execution. */
export interface Link {
  readonly url: string;
  readonly name?: string;
  readonly kickoffId?: string;
}

/** Links are kept in histories, mails and logs. */
const secretNames = /token|secret|passw|bearer|authori[sz]ation|credential|api[-_]?key/i;
const secretValues = /^\s*bearer\s|(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}\./i;
/** Line breaks and direction marks, which can make a link look like another. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** `/add?name&url` or `/track?url&id`; other parameters are ignored. @throws UserError that says why it isn't followed */
export function readLink(path: string, query: string): Link {
  const given = new URLSearchParams(query);
  const route = withoutEndSlashes(path);
  if (holdsSecret(given))
    throw new UserError(
      l10n.t(
        "A link to Crewdeck seems to contain a token, so it was not followed. Links are kept in histories, chats and logs: treat that token as leaked, and create a new one in the crew's dashboard. A token is never taken from a link.",
      ),
    );
  if (route !== "/add" && route !== "/track")
    throw new UserError(
      l10n.t(
        "Crewdeck has no such link. Links can add a crew (/add?name&url) and track an execution (/track?url&id), nothing else.",
      ),
    );
  const textOf = (name: string) => given.get(name)?.trim() ?? "";
  const url = addressIn(textOf("url"));
  if (route === "/add") {
    const name = textOf("name");
    if (name.length > 100 || hidden.test(name))
      throw new UserError(
        l10n.t(
          "This link to Crewdeck was not followed: the name in it is too long or has invisible characters.",
        ),
      );
    return name === "" ? { url } : { url, name };
  }
  const kickoffId = textOf("id");
  if (!/^[^\s/?#\\]{1,200}$/.test(kickoffId) || hidden.test(kickoffId))
    throw new UserError(
      l10n.t(
        "This link to Crewdeck was not followed: its “id” is missing, or isn't a valid execution ID.",
      ),
    );
  return { url, kickoffId };
}

function addressIn(text: string): string {
  if (text === "")
    throw new UserError(l10n.t("This link to Crewdeck names no crew: its “url” is missing."));
  try {
    return normaliseAddress(text);
  } catch (error) {
    throw new UserError(l10n.t("This link to Crewdeck was not followed. {0}", messageOf(error)));
  }
}

function holdsSecret(given: URLSearchParams): boolean {
  for (const [name, value] of given) {
    if (secretNames.test(name) || secretValues.test(value)) return true;
    if (!URL.canParse(value)) continue;
    const { username, password, searchParams, hash } = new URL(value);
    if (username !== "" || password !== "" || secretNames.test(hash) || holdsSecret(searchParams))
      return true;
  }
  return false;
}
