import { AddressError, normaliseAddress } from "../api/address.ts";

/** What a deep link asks for, once it was read. */
export type Link =
  | { readonly route: "add"; readonly url: string; readonly name?: string }
  | { readonly route: "track"; readonly url: string; readonly kickoffId: string };

/** Why a link is not followed. */
export type LinkProblem =
  | { readonly kind: "unknownRoute" | "noUrl" | "badName" | "badId" | "secret" }
  /** Its address can't be a crew's; `detail` says why, for a person. */
  | { readonly kind: "badUrl"; readonly detail: string };

/** Names of parameters that carry what no link may: a link is kept in histories, mails and logs. */
const secretNames = /token|secret|passw|bearer|authori[sz]ation|credential|api[-_]?key/i;
/** A header's value, or a JSON Web Token. */
const secretValues = /^\s*bearer\s|\beyJ[\w-]{5,}\.[\w-]{5,}\./i;
const longestName = 100;
const longestId = 200;

/**
 * Reads a deep link, `/add?name&url` or `/track?url&id`. There are no other routes, and nothing else in it is used.
 * @param path of the link, such as `/add`
 * @param query without the question mark
 */
export function readLink(path: string, query: string): Link | { readonly problem: LinkProblem } {
  const given = new URLSearchParams(query);
  if (holdsSecret(given)) return { problem: { kind: "secret" } };
  const route = path.replace(/\/+$/, "");
  if (route !== "/add" && route !== "/track") return { problem: { kind: "unknownRoute" } };
  const address = given.get("url")?.trim() ?? "";
  if (address === "") return { problem: { kind: "noUrl" } };
  let url: string;
  try {
    url = normaliseAddress(address);
  } catch (error) {
    return {
      problem: {
        kind: "badUrl",
        detail: error instanceof AddressError ? error.message : String(error),
      },
    };
  }
  return route === "/add" ? readAdd(url, given.get("name")) : readTrack(url, given.get("id"));
}

function readAdd(url: string, given: string | null): Link | { readonly problem: LinkProblem } {
  const name = given?.trim() ?? "";
  if (name === "") return { route: "add", url };
  return name.length > longestName || hasControls(name)
    ? { problem: { kind: "badName" } }
    : { route: "add", url, name };
}

function readTrack(url: string, given: string | null): Link | { readonly problem: LinkProblem } {
  const kickoffId = given?.trim() ?? "";
  const isId =
    kickoffId !== "" &&
    kickoffId.length <= longestId &&
    !/[\s/?#\\]/.test(kickoffId) &&
    !hasControls(kickoffId);
  return isId ? { route: "track", url, kickoffId } : { problem: { kind: "badId" } };
}

/** Line breaks and marks that turn the direction of writing would let a link say something else than it does. */
function hasControls(text: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
}

function holdsSecret(given: URLSearchParams): boolean {
  for (const [name, value] of given) {
    if (secretNames.test(name) || secretValues.test(value)) return true;
    if (!URL.canParse(value)) continue;
    // An address in the link may hide one as well.
    const { username, password, searchParams, hash } = new URL(value);
    if (username !== "" || password !== "" || secretNames.test(hash) || holdsSecret(searchParams))
      return true;
  }
  return false;
}
