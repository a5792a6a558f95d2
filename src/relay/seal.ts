import { CompactEncrypt, importJWK, type JWK } from "jose";

/** A callback as it arrived, of which nothing is stored in the clear. */
interface Arrival {
  /** Below the channel's address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** JWE (RFC 7516): ECDH-ES with a key of its own for each callback, and A256GCM. Only the client's private key opens it. */
export async function seal(publicKey: string, { path, headers, body }: Arrival): Promise<string> {
  const key = await importJWK(JSON.parse(publicKey) as JWK, "ECDH-ES");
  const content = {
    ...{ path, headers, arrivedAt: Date.now() },
    body: Buffer.from(body).toString("base64"),
  };
  return await new CompactEncrypt(Buffer.from(JSON.stringify(content)))
    .setProtectedHeader({ alg: "ECDH-ES", enc: "A256GCM" })
    .encrypt(key);
}

/** Only what `seal` needs of a JWK; undefined if it is no public key for it. */
export async function readPublicKey(value: unknown): Promise<string | undefined> {
  if (typeof value !== "object" || value === null) return undefined;
  const { kty, crv, x, y } = value as JWK;
  if (kty !== "EC" || crv !== "P-256" || typeof x !== "string" || typeof y !== "string")
    return undefined;
  const publicKey = JSON.stringify({ kty, crv, x, y });
  try {
    await seal(publicKey, { path: "/", headers: {}, body: new Uint8Array() });
    return publicKey;
  } catch {
    return undefined;
  }
}
