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

/** In single quotes, the shell interprets nothing. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
