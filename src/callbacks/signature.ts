import { createHmac, timingSafeEqual } from "node:crypto";

/** How far a signature's time may be from now (ms). An older one may be a recorded request that somebody sends again. */
const validFor = 5 * 60_000;

/** Checks a flow's webhook. Returns why it isn't accepted, or undefined if its signature is valid. @param now ms since 1970 */
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
  // `timingSafeEqual` needs equal lengths, which are no secret.
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return "wrong";
  const at = timeOf(timestamp);
  return at === undefined || Math.abs(now - at) > validFor ? "old" : undefined;
}

/** Milliseconds since 1970. The format isn't published, so seconds, milliseconds and ISO 8601 are read. */
function timeOf(timestamp: string): number | undefined {
  const number = Number(timestamp);
  const at = Number.isNaN(number)
    ? Date.parse(timestamp)
    : Math.abs(number) < 1e11
      ? number * 1000
      : number;
  return Number.isNaN(at) ? undefined : at;
}
