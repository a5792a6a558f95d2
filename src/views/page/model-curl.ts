import { quoted } from "../../kickoff/curl.ts";

/** A request to a model. Variables replace the key and, where its library reads one, the address. */
export function modelCurl(name: string, request: unknown): string {
  // Of a remote service: nothing of it is for the shell.
  const path = name.replace(/[^\w./:-]/g, "");
  const [base, key] = path.startsWith("models/")
    ? ["https://generativelanguage.googleapis.com/v1beta", "x-goog-api-key: $GEMINI_API_KEY"]
    : path.startsWith("messages")
      ? ["${ANTHROPIC_BASE_URL:-https://api.anthropic.com}/v1", "x-api-key: $ANTHROPIC_API_KEY"]
      : ["${OPENAI_BASE_URL:-https://api.openai.com/v1}", "Authorization: Bearer $OPENAI_API_KEY"];
  return [
    `curl -X POST "${base}/${path}${path.includes(":stream") ? "?alt=sse" : ""}"`,
    `-H "${key}"`,
    ...(path.startsWith("messages") ? [`-H 'anthropic-version: 2023-06-01'`] : []),
    `-H 'Content-Type: application/json'`,
    `--data-raw ${quoted(JSON.stringify(request))}`,
  ].join(" \\\n  ");
}
