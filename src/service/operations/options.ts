import { validateHeaderName, validateHeaderValue } from "node:http";
import { safeUrl } from "../../base/loopback.ts";
import { withoutEndSlashes } from "../../base/text.ts";
import type { LogFormat } from "./log.ts";

/** Where spans go. */
export interface SpansOptions {
  readonly url: URL;
  /** Sent with each request, such as an API key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the spans include inputs, prompts, arguments, outputs, feedback and errors. */
  readonly hasContent: boolean;
}

export interface OperationsOptions {
  readonly log: LogFormat | undefined;
  readonly metricsToken: string | undefined;
  /** Undefined: executions are kept forever. */
  readonly keepDays: number | undefined;
  readonly spans: SpansOptions | undefined;
}

/** For `parseArgs`. */
export const operationsOptions = {
  log: { type: "string" },
  "metrics-token": { type: "string" },
  "keep-days": { type: "string" },
  "otlp-endpoint": { type: "string" },
  "otlp-content": { type: "boolean", default: false },
} as const;

export const operationsHelp = `  --log text|json        how the log on standard error is written: messages to read, or a line of JSON for each
                         entry; by default text, and JSON for a server, with a database or a configuration
  --metrics-token T      who may read /metrics; by default CREWDECK_METRICS_TOKEN, else only this machine may
  --keep-days N          deletes executions that ended more than N days ago (kept forever)
  --otlp-endpoint URL    where OpenTelemetry spans of ended executions are sent; by default OTEL_EXPORTER_OTLP_ENDPOINT,
                         with the headers in OTEL_EXPORTER_OTLP_HEADERS
  --otlp-content         sends inputs, prompts, arguments, outputs, feedback and errors with the spans`;

type Values = Readonly<
  Partial<Record<Exclude<keyof typeof operationsOptions, "otlp-content">, string>>
> & { readonly "otlp-content": boolean };

/** Reads the options. @throws Error that names the wrong option, and never quotes a secret */
export function readOperations(
  values: Values,
  env: Readonly<Record<string, string | undefined>>,
): OperationsOptions {
  const { log } = values;
  if (log !== undefined && log !== "text" && log !== "json")
    throw new Error(`--log ${log}: expected "text" or "json".`);
  const endpoint = values["otlp-endpoint"] ?? env["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "";
  return {
    log,
    metricsToken: readToken(values["metrics-token"] ?? env["CREWDECK_METRICS_TOKEN"]),
    keepDays: readDays(values["keep-days"]),
    spans:
      endpoint === ""
        ? undefined
        : {
            ...readSpans(endpoint, env["OTEL_EXPORTER_OTLP_HEADERS"] ?? ""),
            hasContent: values["otlp-content"],
          },
  };
}

function readToken(token: string | undefined): string | undefined {
  if (token === undefined || /^[!-~]{16,}$/.test(token)) return token;
  throw new Error(
    "--metrics-token (or CREWDECK_METRICS_TOKEN): expected at least 16 characters without blanks, such as a random one.",
  );
}

/** A hundred years. The time so long ago has to be one that a database can store. */
const mostDays = 36_500;

function readDays(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const days = Number(text);
  if (/^\d+$/.test(text) && days >= 1 && days <= mostDays) return days;
  throw new Error(`--keep-days ${text}: expected a whole number from 1 to ${mostDays}.`);
}

/** An address may hold a secret, so it isn't quoted. */
function readSpans(endpoint: string, headerText: string) {
  const url = URL.parse(endpoint);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== "")
    throw new Error(
      "--otlp-endpoint (or OTEL_EXPORTER_OTLP_ENDPOINT): expected an address that begins with http:// or https://, without a user name or password, such as http://127.0.0.1:4318.",
    );
  const headers = readHeaders(headerText);
  if (Object.keys(headers).length > 0 && safeUrl(url.href) === undefined)
    throw new Error(
      "--otlp-endpoint (or OTEL_EXPORTER_OTLP_ENDPOINT): the headers in OTEL_EXPORTER_OTLP_HEADERS are sent only to an address that begins with https://, or to this machine.",
    );
  url.hash = "";
  // OpenTelemetry's specification: exporters add this path to OTEL_EXPORTER_OTLP_ENDPOINT.
  url.pathname = `${withoutEndSlashes(url.pathname).replace(/\/v1\/traces$/, "")}/v1/traces`;
  return { url, headers };
}

/** `NAME=VALUE,NAME=VALUE`; values are percent-encoded (OpenTelemetry's specification). */
function readHeaders(text: string): Readonly<Record<string, string>> {
  try {
    const pairs = text
      .split(",")
      .filter((pair) => pair.trim() !== "")
      .map((pair) => {
        const at = pair.indexOf("=");
        const name = pair.slice(0, Math.max(0, at)).trim();
        const value = decodeURIComponent(pair.slice(at + 1).trim());
        validateHeaderName(name);
        validateHeaderValue(name, value);
        return [name, value] as const;
      });
    return Object.fromEntries(pairs);
  } catch {
    throw new Error(
      "OTEL_EXPORTER_OTLP_HEADERS: expected NAME=VALUE, several separated by commas, with percent-encoded values.",
    );
  }
}
