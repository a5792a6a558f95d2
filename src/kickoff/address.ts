/** What is wrong with an address. */
export type AddressFault = { readonly kind: "notAnAddress" } | { readonly kind: "notHttp" } | { readonly kind: "credentials" };

/** Checks a callback address: nothing, or an absolute http or https address without a name and password, which would be kept on disk. */
export function checkAddress(text: string): AddressFault | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  // "https:host" and "localhost:8080" parse as URLs as well, but no crew could call them.
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#]/i.test(trimmed) || !URL.canParse(trimmed)) return { kind: "notAnAddress" };
  const { protocol, username, password } = new URL(trimmed);
  if (protocol !== "https:" && protocol !== "http:") return { kind: "notHttp" };
  return username === "" && password === "" ? undefined : { kind: "credentials" };
}

/** A text in which no address has a name and password; slashes may be escaped as in JSON. */
export function withoutCredentials(text: string): string {
  return text.replace(/(:(?:\\?\/){2})[^/?#\s"'\\]*@/g, "$1");
}
