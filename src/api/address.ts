import * as l10n from "@vscode/l10n";
import { isLoopback, safeUrl } from "../base/loopback.ts";
import { withoutEndSlashes } from "../base/text.ts";

/** The message never repeats the address, which may hold a secret. */
export class AddressError extends Error {
  override readonly name = "AddressError";
}

const knownEnding =
  /(?:\/(?:inputs|kickoff|resume|status\/[^/]+|(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|%7b[^/]*%7d)\/status)){1,4}$/i;

/**
 * Reduces an address to scheme, host and path. The scheme defaults to `https://`, on this computer
 * to `http://`.
 * @throws {AddressError} for another scheme, `http:` to another computer, or credentials
 */
export function normaliseAddress(text: string): string {
  const wrapping = /^[\s\u200b\ufeff<"'`]+|(?<![\s\u200b\ufeff>"'`])[\s\u200b\ufeff>"'`]+$/g;
  const url = parse(text.replace(wrapping, ""));
  if (url === undefined)
    throw new AddressError(
      l10n.t(
        "Enter a valid address. The crew's address is shown on its page in the dashboard and looks like https://my-crew.example.com.",
      ),
    );
  if (safeUrl(url.href) === undefined)
    throw new AddressError(
      l10n.t(
        "The address must start with https:// and have no user name and password, because a token is sent there. Use http:// only for this computer (localhost, 127.0.0.1).",
      ),
    );
  const path = withoutEndSlashes(url.pathname).replace(knownEnding, "");
  return `${url.origin}${withoutEndSlashes(path)}`;
}

function parse(text: string): URL | undefined {
  const hasScheme = /^(?:[a-z][a-z0-9+.-]*:\/\/|https?:)/i.test(text);
  if (hasScheme) return URL.canParse(text) ? new URL(text) : undefined;
  if (text === "" || !URL.canParse(`https://${text}`)) return undefined;
  const url = new URL(`https://${text}`);
  return isLoopback(url.hostname) ? new URL(`http://${text}`) : url;
}

/** The specification's path and the vendor's OpenAPI file's. */
const forms = [/^(.+)\/([^/]+)\/status\/*$/i, /^(.+)\/status\/([^/]+)\/*$/i];

/** Reads a pasted status address. @throws {AddressError} if no token may be sent to its base */
export function readStatusAddress(text: string) {
  const address = text.trim().replace(/[?#].*$/, "");
  for (const form of forms) {
    const [, base, id] = form.exec(address) ?? [];
    if (base === undefined || id === undefined || /^[a-z]+:\/*$/i.test(base)) continue;
    return { url: normaliseAddress(base), kickoffId: decoded(id) };
  }
  return undefined;
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** The host, with the path where there is one: crews of one server differ only in it. */
export function shortAddress(url: string): string {
  return URL.canParse(url)
    ? `${new URL(url).host}${withoutEndSlashes(new URL(url).pathname)}`
    : url;
}
