import { compactDecrypt, importJWK, type JWK } from "jose";
import { asObject, defined, isObject, numberAt, parseJson, textAt } from "../base/json.ts";
import type { Delivery } from "./delivery.ts";

/** A message of smee.io: the callback's headers, `body`, `query` and `timestamp`, a number. Undefined if it isn't for Crewdeck. */
export function readSmee(data: string): Delivery | undefined {
  const { body, query, ...headers } = asObject(parseJson(data));
  const path = textAt(asObject(query), "crewdeck");
  if (path === undefined || body === undefined) return undefined;
  const bytes = Buffer.from(JSON.stringify(body));
  return { path: `/${path}`, headers: texts(headers), body: bytes, isRewritten: true };
}

/** Decrypts a message of a Crewdeck relay. Undefined if this key can't. */
export async function unseal(data: string, privateKey: JWK): Promise<Delivery | undefined> {
  try {
    const key = await importJWK(privateKey, "ECDH-ES");
    const { plaintext } = await compactDecrypt(data, key, {
      keyManagementAlgorithms: ["ECDH-ES"],
      contentEncryptionAlgorithms: ["A256GCM"],
    });
    const message = asObject(parseJson(Buffer.from(plaintext).toString()));
    const { path, headers, body } = message;
    if (typeof path !== "string" || !isObject(headers) || typeof body !== "string")
      return undefined;
    const arrived = defined({ arrivedAt: numberAt(message, "arrivedAt") });
    return { path, headers: texts(headers), body: Buffer.from(body, "base64"), ...arrived };
  } catch {
    return undefined;
  }
}

function texts(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name.toLowerCase(), value] as const] : [],
  );
  return Object.fromEntries(entries);
}
