import http from "node:http";
import * as l10n from "@vscode/l10n";
import { decoded } from "../../api/address.ts";
import { UserError } from "../../base/errors.ts";
import { asObject, parseJson, textAt } from "../../base/json.ts";
import { isLoopback } from "../../base/loopback.ts";
import { withoutEndSlashes } from "../../base/text.ts";
import type { SecretStorage } from "../../base/events.ts";

export function endpointError(message: string, change: "endpoint" | "headers"): UserError {
  const isHeaders = change === "headers";
  return new UserError(message, [
    {
      title: isHeaders ? l10n.t("Set OTLP Headers…") : l10n.t("Open Settings"),
      command: isHeaders ? "crewdeck.exportExecution" : "workbench.action.openSettings",
      arguments: isHeaders ? [{ format: "headers" }] : ["@id:crewdeck.otlpEndpoint"],
    },
  ]);
}

/**
 * Where spans are sent: `/v1/traces` below the address, as with OTEL_EXPORTER_OTLP_ENDPOINT.
 * @throws UserError if it can't be used. It doesn't quote the address, which may hold a secret.
 */
export function readEndpoint(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw endpointError(
      l10n.t(
        "The setting crewdeck.otlpEndpoint must be the address of a receiver of spans, such as http://localhost:4318, without a user name or password: “Set OTLP headers…” in “Crewdeck: Export…” keeps those in the secret storage.",
      ),
      "endpoint",
    );
  url.hash = "";
  url.pathname = `${withoutEndSlashes(url.pathname).replace(/\/v1\/traces$/, "")}/v1/traces`;
  return url;
}

type Headers = Readonly<Record<string, string>>;
/** Headers of requests with spans, such as a key, are kept for one origin in the secret storage. */
export const headersKey = "crewdeck.otlpHeaders";

/** @throws UserError if the headers are for another origin, or can't be read or sent safely */
export async function headersFor(url: URL, storage: SecretStorage): Promise<Headers> {
  // The storage's error may quote them.
  const stored = await Promise.resolve(storage.get(headersKey)).catch(() => {
    throw endpointError(
      l10n.t(
        "The headers for the endpoint could not be read from the secret storage. Nothing was sent. Unlock your system's keychain, or enter the headers again.",
      ),
      "headers",
    );
  });
  if (stored === undefined) return {};
  const entry = asObject(parseJson(stored));
  const origin = textAt(entry, "origin");
  if (origin !== url.origin)
    throw endpointError(
      l10n.t(
        "The headers in the secret storage are for {0}, and the endpoint is now {1}. Nothing was sent. Enter the headers for the new endpoint, or none.",
        origin ?? "",
        url.origin,
      ),
      "headers",
    );
  requireSafe(url);
  return readHeaders(asObject(entry["headers"]));
}

/** Without headers, deletes those that are stored. @throws UserError */
export async function storeHeaders(url: URL, headers: Headers, storage: SecretStorage) {
  if (Object.keys(headers).length === 0) {
    await forgetHeaders(storage);
    return;
  }
  requireSafe(url);
  await storage.store(headersKey, JSON.stringify({ origin: url.origin, headers }));
}

/** @throws what the storage throws, if there are any */
export async function forgetHeaders(storage: SecretStorage): Promise<void> {
  if ((await storage.get(headersKey)) !== undefined) await storage.delete(headersKey);
}

function requireSafe(url: URL): void {
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw endpointError(
      l10n.t(
        "Headers are sent only to addresses that start with https://, or to this machine. Change the setting crewdeck.otlpEndpoint, or remove the headers.",
      ),
      "headers",
    );
}

const nextHeader = /[,\n][^\S\n]*(?=[\w!#$%&'*+.^`|~-]+\s*[=:])/;

/**
 * Reads `NAME=VALUE, NAME=VALUE`, as in OTEL_EXPORTER_OTLP_HEADERS, or `NAME: VALUE`. A user name
 * and password after `Basic` are encoded.
 * @throws UserError, which doesn't quote values
 */
export function parseHeaders(text: string): Headers {
  const pairs = text.trim() === "" ? [] : text.trim().split(nextHeader);
  const headers = pairs.map((pair) => {
    const [, name = "", value = ""] = /^([^=:]*)[=:]([^]*)$/.exec(pair) ?? [];
    // A value in the environment variable is percent-encoded (OpenTelemetry's specification).
    return [name.trim(), withBasic(decoded(value.trim()))] as const;
  });
  return readHeaders(Object.fromEntries(headers));
}

/** Set by the exporter. */
const own = /^(?:host|connection|content-.*|transfer-encoding|user-agent)$/i;

/** @throws UserError, which doesn't quote values */
export function readHeaders(raw: Readonly<Record<string, unknown>>): Headers {
  const headers = Object.entries(raw).map(([name, value]) => {
    if (!own.test(name) && typeof value === "string" && value !== "" && isHeader(name, value))
      return [name, value] as const;
    throw new UserError(
      l10n.t(
        "Enter NAME=VALUE, such as Authorization=Bearer KEY; several are separated by commas. Crewdeck itself sets Host, User-Agent and those of the content.",
      ),
    );
  });
  return Object.fromEntries(headers);
}

function isHeader(name: string, value: string): boolean {
  try {
    http.validateHeaderName(name);
    http.validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

/** A base64 text has no colon. */
function withBasic(value: string): string {
  const pair = /^Basic\s+(?=\S)([^:]*:.*)$/i.exec(value)?.[1];
  return pair === undefined ? value : `Basic ${Buffer.from(pair).toString("base64")}`;
}
