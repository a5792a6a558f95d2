import { randomUUID } from "node:crypto";
import { kickoffBody } from "../api/requests.ts";
import type {
  HumanInputWebhook,
  KickoffRequest,
  PlainCallbacks,
  SecretCallbacks,
  StreamingWebhooks,
} from "../api/types.ts";
import type { Prefill } from "./form/values.ts";

/** A command, and the variables of the shell that it needs. */
export interface CurlCommand {
  readonly command: string;
  /** With the dollar sign. */
  readonly variables: readonly string[];
}

/**
 * A kickoff as a command for a POSIX shell. No secret is in it: the token is the variable `CREW_TOKEN`, and those of callbacks are
 * `CREW_HUMAN_INPUT_TOKEN` or `CREW_HUMAN_INPUT_PASSWORD`, and `CREW_STREAMING_TOKEN`.
 * @param address the crew's base address
 */
export function curlCommand(address: string, values: Prefill): CurlCommand {
  // Unguessable, so that no input can name a variable of the shell.
  const mark = randomUUID();
  const { humanInputWebhook, webhooks, ...plain } = values;
  const request: KickoffRequest = {
    inputs: {},
    ...plain,
    ...withVariables({ humanInputWebhook, webhooks }, (name) => `${mark}${name}${mark}`),
  };
  const body = JSON.stringify(kickoffBody(request));
  const parts = body.split(mark);
  const command = [
    `curl -X POST ${quoted(`${address}/kickoff`)}`,
    `-H "Authorization: Bearer $CREW_TOKEN"`,
    `-H 'Content-Type: application/json'`,
    // Not --data, which would read a file where the text begins with "@".
    `--data-raw ${parts.map((part, index) => (index % 2 === 0 ? quoted(part) : `"$${part}"`)).join("")}`,
  ].join(" \\\n  ");
  return {
    command,
    variables: [
      "$CREW_TOKEN",
      ...parts.flatMap((part, index) => (index % 2 === 0 ? [] : [`$${part}`])),
    ],
  };
}

/** The callbacks that take credentials, with the name of a variable in the place of each secret. */
function withVariables(
  {
    humanInputWebhook,
    webhooks,
  }: { readonly [Name in keyof PlainCallbacks]: PlainCallbacks[Name] | undefined },
  variable: (name: string) => string,
): SecretCallbacks {
  return {
    ...(humanInputWebhook && { humanInputWebhook: humanInput(humanInputWebhook, variable) }),
    ...(webhooks && { webhooks: streaming(webhooks, variable) }),
  };
}

function humanInput(
  { url, authentication }: NonNullable<PlainCallbacks["humanInputWebhook"]>,
  variable: (name: string) => string,
): HumanInputWebhook {
  if (authentication === undefined) return { url };
  if (authentication.strategy === "bearer")
    return {
      url,
      authentication: { strategy: "bearer", token: variable("CREW_HUMAN_INPUT_TOKEN") },
    };
  return {
    url,
    authentication: {
      strategy: "basic",
      username: authentication.username,
      password: variable("CREW_HUMAN_INPUT_PASSWORD"),
    },
  };
}

function streaming(
  { authentication, ...plain }: NonNullable<PlainCallbacks["webhooks"]>,
  variable: (name: string) => string,
): StreamingWebhooks {
  return authentication === undefined
    ? plain
    : { ...plain, authentication: { strategy: "bearer", token: variable("CREW_STREAMING_TOKEN") } };
}

/** A word in single quotes: nothing in it means anything to the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
