import http from "node:http";
import * as l10n from "@vscode/l10n";
import { UserError } from "../../base/errors.ts";
import { asObject, parseJson, textAt } from "../../base/json.ts";
import { isLoopback } from "../../base/loopback.ts";
import { withoutEndSlashes } from "../../base/text.ts";
import type { SecretStorage } from "../../sending/secrets.ts";

export function endpointAction() {
  return {
    title: l10n.t("Open Settings"),
    command: "workbench.action.openSettings",
    arguments: ["@id:crewdeck.otlpEndpoint"],
  };
}

export function headersAction() {
  return {
    title: l10n.t("Set OTLP Headers…"),
    command: "crewdeck.exportExecution",
    arguments: [{ format: "headers" }],
  };
}

/**
 * Where spans are sent: `/v1/traces` below the address, as with OTEL_EXPORTER_OTLP_ENDPOINT.
 * @throws UserError if it can't be used. It doesn't quote the address, which may hold a secret.
 */
export function readEndpoint(text: string): URL {
  const refuse = (message: string) => new UserError(message, [endpointAction()]);
  if (text === "")
    throw refuse(
      l10n.t(
        "There is no endpoint for spans. Enter its address in the setting crewdeck.otlpEndpoint, such as http://localhost:4318.",
      ),
    );
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw refuse(
      l10n.t(
        "The setting crewdeck.otlpEndpoint must be an address that starts with https:// or http://, such as http://localhost:4318.",
      ),
    );
  if (url.username !== "" || url.password !== "")
    throw refuse(
      l10n.t(
        "The setting crewdeck.otlpEndpoint has a user name or password. Remove it, and choose “Set OTLP headers…” in “Crewdeck: Export…” instead, which keeps it in the secret storage.",
      ),
    );
  url.hash = "";
  url.pathname = `${withoutEndSlashes(url.pathname).replace(/\/v1\/traces$/, "")}/v1/traces`;
  return url;
}

type Headers = Readonly<Record<string, string>>;

export const headersKey = "crewdeck.otlpHeaders";

/** Set by the exporter. */
const own = /^(?:host|connection|content-.*|transfer-encoding|user-agent)$/i;

const nextHeader = /[,\n][^\S\n]*(?=[\w!#$%&'*+.^`|~-]+\s*[=:])/;

/** Headers of requests with spans, such as a key: for one origin, in the secret storage. */
export class OtlpHeaders {
  readonly #storage: SecretStorage;

  constructor(storage: SecretStorage) {
    this.#storage = storage;
  }

  /** @throws UserError if the headers are for another origin, or can't be read or sent safely */
  async for(url: URL): Promise<Headers> {
    const stored = await this.#read();
    if (stored === undefined) return {};
    const entry = asObject(parseJson(stored));
    const origin = textAt(entry, "origin");
    if (origin !== url.origin)
      throw refusal(
        l10n.t(
          "The headers in the secret storage are for {0}, and the endpoint is now {1}. Nothing was sent. Enter the headers for the new endpoint, or none.",
          origin ?? "",
          url.origin,
        ),
      );
    requireSafe(url);
    return readHeaders(asObject(entry["headers"]));
  }

  /** Without headers, deletes those that are stored. @throws UserError */
  async set(url: URL, headers: Headers): Promise<void> {
    if (Object.keys(headers).length === 0) {
      await forgetHeaders(this.#storage);
      return;
    }
    requireSafe(url);
    await this.#storage.store(headersKey, JSON.stringify({ origin: url.origin, headers }));
  }

  /** The storage's error may quote them. */
  async #read(): Promise<string | undefined> {
    try {
      return await this.#storage.get(headersKey);
    } catch {
      throw refusal(
        l10n.t(
          "The headers for the endpoint could not be read from the secret storage. Nothing was sent. Unlock your system's keychain, or enter the headers again.",
        ),
      );
    }
  }
}

/** @throws what the storage throws, if there are any */
export async function forgetHeaders(storage: SecretStorage): Promise<void> {
  if ((await storage.get(headersKey)) !== undefined) await storage.delete(headersKey);
}

function requireSafe(url: URL): void {
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw refusal(
      l10n.t(
        "Headers are sent only to addresses that start with https://, or to this machine. Change the setting crewdeck.otlpEndpoint, or remove the headers.",
      ),
    );
}

function refusal(message: string): UserError {
  return new UserError(message, [headersAction()]);
}

/**
 * Reads `NAME=VALUE, NAME=VALUE`, as in OTEL_EXPORTER_OTLP_HEADERS, or `NAME: VALUE`. A user name
 * and password after `Basic` are encoded.
 * @throws UserError, which doesn't quote values
 */
export function parseHeaders(text: string): Headers {
  const pairs = text.trim() === "" ? [] : text.trim().split(nextHeader);
  const headers = pairs.map((pair) => {
    const [, name = "", value = ""] = /^([^=:]*)[=:]([^]*)$/.exec(pair) ?? [];
    return [name.trim(), withBasic(decoded(value.trim()))] as const;
  });
  return readHeaders(Object.fromEntries(headers));
}

/** @throws UserError, which doesn't quote values */
export function readHeaders(raw: Readonly<Record<string, unknown>>): Headers {
  for (const [name, value] of Object.entries(raw)) {
    if (own.test(name))
      throw new UserError(l10n.t("The header “{0}” is set by Crewdeck itself.", name));
    if (typeof value !== "string" || value === "" || !isHeader(name, value))
      throw new UserError(
        l10n.t(
          "That is no header. Enter NAME=VALUE, such as Authorization=Bearer KEY; several are separated by commas.",
        ),
      );
  }
  return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, String(value)]));
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

/** A value in the environment variable is percent-encoded (OpenTelemetry's specification). */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** A base64 text has no colon. */
function withBasic(value: string): string {
  const pair = /^Basic\s+(?=\S)([^:]*:.*)$/i.exec(value)?.[1];
  return pair === undefined ? value : `Basic ${Buffer.from(pair).toString("base64")}`;
}
