import { randomUUID } from "node:crypto";
import { kickoffBody } from "../api/requests.ts";
import type { HumanInputWebhook, KickoffRequest } from "../api/types.ts";

/**
 * A kickoff as a command for a POSIX shell. No secret is in it: the token is the variable `CREW_TOKEN`, and those of callbacks are
 * `CREW_HUMAN_INPUT_TOKEN` (or `CREW_HUMAN_INPUT_USERNAME` and `CREW_HUMAN_INPUT_PASSWORD`) and `CREW_STREAMING_TOKEN`.
 * @param address the crew's base address
 */
export function curlCommand(address: string, request: KickoffRequest): string {
  // Unguessable, so that no input can name a variable of the shell.
  const mark = randomUUID();
  const body = JSON.stringify(kickoffBody(withVariables(request, (name) => `${mark}${name}${mark}`)));
  return [
    `curl -X POST ${quoted(`${address}/kickoff`)}`,
    `-H "Authorization: Bearer $CREW_TOKEN"`,
    `-H 'Content-Type: application/json'`,
    // Not --data, which would read a file where the text begins with "@".
    `--data-raw ${body.split(mark).map((part, index) => (index % 2 === 0 ? quoted(part) : `"$${part}"`)).join("")}`,
  ].join(" \\\n  ");
}

/** The request with the name of a variable in the place of each secret. */
function withVariables(request: KickoffRequest, variable: (name: string) => string): KickoffRequest {
  const { humanInputWebhook: human, webhooks } = request;
  return {
    ...request,
    ...(human === undefined ? {} : { humanInputWebhook: withoutSecrets(human, variable) }),
    ...(webhooks?.authentication === undefined ? {} : { webhooks: { ...webhooks, authentication: { strategy: "bearer", token: variable("CREW_STREAMING_TOKEN") } } }),
  };
}

function withoutSecrets({ url, authentication }: HumanInputWebhook, variable: (name: string) => string): HumanInputWebhook {
  switch (authentication?.strategy) {
    case "bearer":
      return { url, authentication: { strategy: "bearer", token: variable("CREW_HUMAN_INPUT_TOKEN") } };
    case "basic":
      return { url, authentication: { strategy: "basic", username: variable("CREW_HUMAN_INPUT_USERNAME"), password: variable("CREW_HUMAN_INPUT_PASSWORD") } };
    case undefined:
      return { url };
  }
}

/** A word in single quotes: nothing in it means anything to the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
