import * as l10n from "@vscode/l10n";
import { normaliseAddress } from "../api/address.ts";
import { messageOf } from "../base/errors.ts";
import { withoutEndSlashes } from "../base/text.ts";

/** A deep link, or why it isn't followed. */
export type Link =
  | { readonly route: "add"; readonly url: string; readonly name?: string }
  | { readonly route: "track"; readonly url: string; readonly kickoffId: string }
  | { readonly route: "none"; readonly problem: string };

/** Links are kept in histories, mails and logs. */
const secretNames = /token|secret|passw|bearer|authori[sz]ation|credential|api[-_]?key/i;
const secretValues = /^\s*bearer\s|(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}\./i;
/** Line breaks and direction marks, which can make a link look like another. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** `/add?name&url` or `/track?url&id`; other parameters are ignored. */
export function readLink(path: string, query: string): Link {
  const given = new URLSearchParams(query);
  const route = withoutEndSlashes(path);
  if (holdsSecret(given))
    return problem(
      l10n.t(
        "A link to Crewdeck seems to contain a token, so it was not followed. Links are kept in histories, chats and logs: treat that token as leaked, and create a new one in the crew's dashboard. A token is never taken from a link.",
      ),
    );
  if (route !== "/add" && route !== "/track")
    return problem(
      l10n.t(
        "Crewdeck has no such link. Links can add a crew (/add?name&url) and track an execution (/track?url&id), nothing else.",
      ),
    );
  const address = given.get("url")?.trim() ?? "";
  if (address === "")
    return problem(l10n.t("This link to Crewdeck names no crew: its “url” is missing."));
  let url: string;
  try {
    url = normaliseAddress(address);
  } catch (error) {
    return problem(l10n.t("This link to Crewdeck was not followed. {0}", messageOf(error)));
  }
  if (route === "/add") {
    const name = given.get("name")?.trim() ?? "";
    if (name === "") return { route: "add", url };
    if (name.length <= 100 && !hidden.test(name)) return { route: "add", url, name };
    return problem(
      l10n.t(
        "This link to Crewdeck was not followed: the name in it is too long or has invisible characters.",
      ),
    );
  }
  const kickoffId = given.get("id")?.trim() ?? "";
  if (/^[^\s/?#\\]{1,200}$/.test(kickoffId) && !hidden.test(kickoffId))
    return { route: "track", url, kickoffId };
  return problem(
    l10n.t(
      "This link to Crewdeck was not followed: its “id” is missing, or isn't a valid execution ID.",
    ),
  );
}

function problem(text: string): Link {
  return { route: "none", problem: text };
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
