/** What is wrong with an address. */
export type AddressFault =
  | { readonly kind: "notAnAddress" }
  | { readonly kind: "notHttp" }
  | { readonly kind: "credentials" };

/** Checks a callback address: nothing, or an absolute http or https address without a name and password, which would be kept on disk. */
export function checkAddress(text: string): AddressFault | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  // "https:host" and "localhost:8080" parse as URLs as well, but no crew could call them.
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#]/i.test(trimmed) || !URL.canParse(trimmed))
    return { kind: "notAnAddress" };
  const { protocol, username, password } = new URL(trimmed);
  if (protocol !== "https:" && protocol !== "http:") return { kind: "notHttp" };
  return username === "" && password === "" ? undefined : { kind: "credentials" };
}

/** What may be kept on disk of an address: all of it but for its name and password. Nothing where these can't be told from the rest. */
export function keptAddress(text: string): string {
  const problem = checkAddress(text);
  if (problem?.kind !== "credentials")
    return problem !== undefined && text.includes("@") ? "" : text;
  const address = new URL(text.trim());
  address.username = address.password = "";
  return address.href;
}
