import * as l10n from "@vscode/l10n";
/** A crew's address that can't be used; the message says why and what to type instead. It never repeats the address, which may hold a secret. */
export class AddressError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AddressError";
  }
}

/** Routes of the API (both status paths, as ids or as the documentation's `{kickoff_id}`), which people copy along with the address. */
const knownEnding =
  /(?:\/(?:inputs|kickoff|resume|status\/[^/]+|(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|%7b[^/]*%7d)\/status))+$/i;

/** Blanks that don't show, and marks that wrap an address in prose or a shell. */
const wrapping = /^[\s\u200b\ufeff<"'`]+|[\s\u200b\ufeff>"'`]+$/g;

/**
 * A crew's base address in its one form: scheme, host and path without a trailing slash. Known routes, query and
 * fragment at the end are dropped; `https://` is added where there is no scheme, `http://` for this computer.
 * @throws {AddressError} for what is no address, another scheme, `http:` to another computer, or a user name or password in it
 */
export function normaliseAddress(text: string): string {
  const url = parse(text.replace(wrapping, ""));
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new AddressError(
      l10n.t("A crew's address begins with https://, not with {0}//.", url.protocol),
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new AddressError(
      l10n.t(
        "The address holds a user name or password. Leave it out: a crew is asked with a token, which is kept apart from the address.",
      ),
    );
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new AddressError(
      l10n.t(
        "The address must begin with https://, because a token is sent there. Plain http:// is for this computer alone (localhost, 127.0.0.1).",
      ),
    );
  }
  const path = withoutSlash(url.pathname).replace(knownEnding, "");
  return `${url.origin}${withoutSlash(path)}`;
}

/** Whether a host name of a URL means this computer, so that nothing leaves it. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function parse(text: string): URL {
  if (text === "")
    throw new AddressError(
      l10n.t(
        "There is no address. It is shown on the crew's page in the dashboard and looks like https://my-crew.example.com.",
      ),
    );
  const hasScheme = /^(?:[a-z][a-z0-9+.-]*:\/\/|https?:)/i.test(text);
  const withScheme = hasScheme ? text : `https://${text}`;
  if (!URL.canParse(withScheme)) {
    throw new AddressError(
      l10n.t(
        "That is no address. It is shown on the crew's page in the dashboard and looks like https://my-crew.example.com.",
      ),
    );
  }
  const url = new URL(withScheme);
  if (!hasScheme && isLoopback(url.hostname)) return new URL(`http://${text}`);
  return url;
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, "");
}
