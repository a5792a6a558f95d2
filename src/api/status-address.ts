import { normaliseAddress } from "./address.ts";

/** What the address of a status answer names. */
export interface StatusAddress {
  /** The crew's address, normalised. */
  readonly url: string;
  readonly kickoffId: string;
}

/** Both forms of the status path (specification; vendor's OpenAPI file), below any base path. */
const forms = [/^(.+)\/([^/]+)\/status\/*$/i, /^(.+)\/status\/([^/]+)\/*$/i];

/**
 * The crew and the execution that a pasted status address names, `https://host/<id>/status` or `https://host/status/<id>`;
 * nothing for a text that is no such address.
 * @throws {AddressError} for one whose beginning no token may be sent to
 */
export function readStatusAddress(text: string): StatusAddress | undefined {
  const address = text.trim().replace(/[?#].*$/, "");
  for (const form of forms) {
    const [, base, id] = form.exec(address) ?? [];
    if (base === undefined || id === undefined || /^[a-z]+:\/*$/i.test(base)) continue;
    return { url: normaliseAddress(base), kickoffId: decoded(id) };
  }
  return undefined;
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    // A lone per cent sign: the id as it stands.
    return id;
  }
}
