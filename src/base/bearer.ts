import { createHash, timingSafeEqual } from "node:crypto";

export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
}

export function digest(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

export function hashOf(text: string): string {
  return digest(text).toString("base64url");
}

/** Hashes have one length, so they can be compared in constant time. */
export function isSecret(given: string | undefined, hash: Buffer): boolean {
  return timingSafeEqual(digest(given ?? ""), hash) && given !== undefined;
}
