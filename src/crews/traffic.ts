import type { Traffic } from "../api/transport.ts";

/** One line of the log for one exchange: "Travel → GET /inputs ← 200 in 180 ms". It holds no body and no header, so no token. */
export function describeTraffic(crew: string, { method, path, status, error, milliseconds }: Traffic): string {
  return `${crew} → ${method} ${path} ← ${status ?? error ?? "no answer"} in ${Math.round(milliseconds)} ms`;
}
