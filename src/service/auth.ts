import { createHash, timingSafeEqual } from "node:crypto";
import { unauthorized } from "./errors.ts";
import type { TokenType } from "./model.ts";

/** The two tokens that the service takes. */
export interface Tokens {
  readonly token: string;
  readonly userToken: string;
}

/**
 * Makes the function that tells which token an Authorization header carries. Hashes are compared, since they have one length,
 * and in constant time, so that an answer's time says nothing of the token. It throws the 401 for any other header.
 */
export function authenticator({
  token,
  userToken,
}: Tokens): (header: string | undefined) => TokenType {
  const bearer = digest(token);
  const userBearer = digest(userToken);
  return (header) => {
    const given = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
    const hash = digest(given ?? "");
    const isBearer = timingSafeEqual(hash, bearer);
    const isUser = timingSafeEqual(hash, userBearer);
    if (given === undefined || (!isBearer && !isUser)) throw unauthorized(header !== undefined);
    return isBearer ? "bearer" : "userBearer";
  };
}

/** Whether a request's host is this machine by its own name; another one may be a web page's that was made to resolve to it. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
