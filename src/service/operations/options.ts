import { safeUrl } from "../../base/loopback.ts";
import { withoutEndSlashes } from "../../base/text.ts";
import { choice, flag, refuseOption, text, wholeNumber } from "../command-line.ts";

export interface SpansOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the spans include inputs, prompts, arguments, outputs, feedback and errors. */
  readonly hasContent: boolean;
}

/** A hundred years. The time so long ago has to be one that a database can store. */
const mostDays = 36_500;

export const operationsOptions = {
  log: choice(
    ["text", "json"],
    "how the log on standard error is written: messages to read, or a line of JSON for each entry; by default text, and JSON for a server, with a database or a configuration",
  ),
  logOutput: flag(
    "also logs what crews print, such as prompts and outputs; a service on your own machine always does",
  ),
  metricsToken: text(
    "T",
    "who may read /metrics; by default CREWDECK_METRICS_TOKEN, else only this machine may",
    {
      variable: "CREWDECK_METRICS_TOKEN",
      expected: "at least 16 characters without blanks, such as a random one",
    },
    (token) => /^[!-~]{16,}$/.test(token),
  ),
  keepDays: wholeNumber(
    1,
    mostDays,
    "deletes executions that ended more than N days ago (kept forever)",
  ),
  otlpEndpoint: text(
    "URL",
    "where OpenTelemetry spans of ended executions are sent; by default OTEL_EXPORTER_OTLP_ENDPOINT, with the headers in OTEL_EXPORTER_OTLP_HEADERS",
    {
      variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
      expected:
        "an address that begins with http:// or https://, without a user name or password, such as http://127.0.0.1:4318",
    },
    (given) => /^https?:\/\/[^/?#@\s]+([/?#]|$)/.test(given) && URL.canParse(given),
  ),
  otlpContent: flag(
    "sends inputs, prompts, arguments, outputs, feedback and errors with the spans",
  ),
};

/** @throws {Refusal} which never quotes an address or a header: they may hold a secret */
export function readSpans(
  endpoint: string | undefined,
  hasContent = false,
  headerText = "",
): SpansOptions | undefined {
  if (endpoint === undefined) return undefined;
  const headers = readHeaders(headerText);
  if (Object.keys(headers).length > 0 && safeUrl(endpoint) === undefined)
    throw refuseOption(
      "serve",
      "--otlp-endpoint (or OTEL_EXPORTER_OTLP_ENDPOINT): the headers in OTEL_EXPORTER_OTLP_HEADERS are sent only to an address that begins with https://, or to this machine.",
    );
  const url = new URL(endpoint);
  url.hash = "";
  // OpenTelemetry's specification: exporters add this path to OTEL_EXPORTER_OTLP_ENDPOINT.
  url.pathname = `${withoutEndSlashes(url.pathname).replace(/\/v1\/traces$/, "")}/v1/traces`;
  return { url, headers, hasContent };
}

/** `NAME=VALUE,NAME=VALUE`; values are percent-encoded (OpenTelemetry's specification). */
function readHeaders(text: string): Readonly<Record<string, string>> {
  try {
    const pairs = text.split(",").filter((pair) => pair.trim() !== "");
    const headers = pairs.map((pair): [string, string] => {
      const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
      return [name.trim(), decodeURIComponent(value.trim())];
    });
    // Checks them.
    return Object.fromEntries(new Headers(headers));
  } catch {
    throw refuseOption(
      "serve",
      "OTEL_EXPORTER_OTLP_HEADERS: expected NAME=VALUE, several separated by commas, with percent-encoded values.",
    );
  }
}
