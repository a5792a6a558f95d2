import * as l10n from "@vscode/l10n";
import { normaliseAddress } from "../api/address.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { withoutEndSlashes } from "../base/text.ts";

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
  if (holdsSecret(given))
    throw new UserError(
      l10n.t(
        "A link to Crewdeck seems to contain a token, so it was not followed. Links are kept in histories, chats and logs: treat that token as leaked, and create a new one in the crew's dashboard. A token is never taken from a link.",
      ),
    );
  const route = withoutEndSlashes(path);
  const textOf = (name: string) => given.get(name)?.trim() ?? "";
  const [name, kickoffId] = [textOf("name"), textOf("id")];
  if (route === "/add" && name.length <= 100 && !hidden.test(name))
    return { url: addressIn(textOf("url")), ...(name !== "" && { name }) };
  if (route === "/track" && /^[^\s/?#\\]{1,200}$/.test(kickoffId) && !hidden.test(kickoffId))
    return { url: addressIn(textOf("url")), kickoffId };
  throw notFollowed("");
}

function addressIn(text: string): string {
  try {
    return normaliseAddress(text);
  } catch (error) {
    throw notFollowed(messageOf(error));
  }
}

function notFollowed(why: string): UserError {
  return new UserError(
    l10n
      .t(
        "A link to Crewdeck was not followed: it must be /add?name&url, to add a crew, or /track?url&id, to track an execution, with a name, address and ID that are valid. {0}",
        why,
      )
      .trim(),
  );
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
