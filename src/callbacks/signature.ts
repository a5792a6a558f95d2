import { createHmac, timingSafeEqual } from "node:crypto";

/** A signature of another time is a repeat (ms). */
const validFor = 5 * 60_000;

/** Why a flow's webhook isn't accepted; undefined if its signature holds. */
export function signatureProblem(
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  secret: string,
  now: number,
): "missing" | "wrong" | "old" | undefined {
  const given = headers["x-signature"]?.trim();
  const timestamp = headers["x-timestamp"]?.trim();
  if (given === undefined || timestamp === undefined) return "missing";
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest();
  const hex = /^(?:sha256=)?([\da-f]{64})$/i.exec(given)?.[1] ?? "";
  const signature = Buffer.from(hex, "hex");
  // Lengths are no secret.
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return "wrong";
  const at = timeOf(timestamp);
  return at === undefined || Math.abs(now - at) > validFor ? "old" : undefined;
}

/** Seconds or milliseconds since 1970, or ISO 8601: its form isn't published. */
function timeOf(timestamp: string): number | undefined {
  const number = Number(timestamp);
  const at = Number.isNaN(number)
    ? Date.parse(timestamp)
    : Math.abs(number) < 1e11
      ? number * 1000
      : number;
  return Number.isNaN(at) ? undefined : at;
}
