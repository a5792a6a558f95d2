import { randomUUID } from "node:crypto";
import { kickoffBody } from "../api/requests.ts";
import { requestWith, type Prefill } from "./callbacks.ts";

/**
 * A kickoff as a command for a POSIX shell, and the shell's variables that it needs. No secret is in it: the token is `$CREW_TOKEN`, and
 * those of callbacks are `$CREW_HUMAN_INPUT_TOKEN` or `$CREW_HUMAN_INPUT_PASSWORD`, and `$CREW_STREAMING_TOKEN`.
 * @param address the crew's base address
 */
export function curlCommand(address: string, values: Prefill) {
  // Unguessable, so that no input can name a variable of the shell.
  const mark = randomUUID();
  const isBasic = values.humanInputWebhook?.authentication?.strategy === "basic";
  const request = requestWith(values, {
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

/** Single quotes, in which nothing has a meaning to the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
