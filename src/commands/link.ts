import { normaliseAddress } from "../api/address.ts";
import { messageOf } from "../base/errors.ts";

/** A valid deep link. */
export type Link =
  | { readonly route: "add"; readonly url: string; readonly name?: string }
  | { readonly route: "track"; readonly url: string; readonly kickoffId: string };

/** Why a link isn't followed. */
export type LinkProblem =
  | { readonly kind: "unknownRoute" | "noUrl" | "badName" | "badId" | "secret" }
  /** `detail` is the address's problem, for a person. */
  | { readonly kind: "badUrl"; readonly detail: string };

/** Names of parameters that no link may have: links are kept in histories, mails and logs. */
const secretNames = /token|secret|passw|bearer|authori[sz]ation|credential|api[-_]?key/i;
/** A header's value, or a JSON Web Token. */
const secretValues = /^\s*bearer\s|\beyJ[\w-]{5,}\.[\w-]{5,}\./i;
/** Line breaks and marks that change the direction of writing: with them a link could show another text than it has. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Reads a deep link, `/add?name&url` or `/track?url&id`. Other routes are refused, other parameters ignored. */
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
    return { problem: { kind: "badUrl", detail: messageOf(error) } };
  }
  if (route === "/add") {
    const name = given.get("name")?.trim() ?? "";
    if (name === "") return { route: "add", url };
    return name.length > 100 || hidden.test(name)
      ? { problem: { kind: "badName" } }
      : { route: "add", url, name };
  }
  const kickoffId = given.get("id")?.trim() ?? "";
  return /^[^\s/?#\\]{1,200}$/.test(kickoffId) && !hidden.test(kickoffId)
    ? { route: "track", url, kickoffId }
    : { problem: { kind: "badId" } };
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
