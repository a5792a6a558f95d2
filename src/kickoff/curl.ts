import { randomUUID } from "node:crypto";
import { kickoffBody } from "../api/client.ts";
import type { Prefill } from "./callbacks.ts";
import { requestOf } from "./form/values.ts";

/** Variables replace secrets: `$CREW_TOKEN`, `$CREW_HUMAN_INPUT_TOKEN`, and others. */
export function curlCommand(address: string, values: Prefill) {
  // Unguessable, so that no input can insert a shell variable.
  const mark = randomUUID();
  const isBasic = values.humanInputWebhook?.authentication?.strategy === "basic";
  const request = requestOf(values, {
    humanInput: `${mark}$CREW_HUMAN_INPUT_${isBasic ? "PASSWORD" : "TOKEN"}${mark}`,
    streaming: `${mark}$CREW_STREAMING_TOKEN${mark}`,
  });
  const parts = JSON.stringify(kickoffBody(request)).split(mark);
  const isVariable = (index: number) => index % 2 === 1;
  const body = parts.map((part, index) => (isVariable(index) ? `"${part}"` : quoted(part)));
  const command = [
    `curl -X POST ${quoted(`${address}/kickoff`)}`,
    `-H "Authorization: Bearer $CREW_TOKEN"`,
    `-H 'Content-Type: application/json'`,
    // --data would read a file if the text began with "@".
    `--data-raw ${body.join("")}`,
  ].join(" \\\n  ");
  const variables = ["$CREW_TOKEN", ...parts.filter((_, index) => isVariable(index))];
  return { command, variables };
}

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

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
