import * as vscode from "vscode";
import type { TokenType } from "../api/types.ts";
import { defined } from "../base/json.ts";
import { UserError } from "../base/errors.ts";

/** The argument of `crewdeck.addCrew`. */
export interface ConnectArguments {
  readonly name?: string;
  readonly url?: string;
  readonly token?: string;
  readonly tokenType?: TokenType;
}

/** @throws UserError for a wrong type; the message never quotes a value, which may be a token */
export function readConnectArguments(raw: unknown): ConnectArguments {
  if (raw === undefined || raw === null) return {};
  if (typeof raw !== "object" || Array.isArray(raw))
    throw new UserError(
      vscode.l10n.t(
        "To connect a crew, give an object such as {0}.",
        '{"name": "Travel", "url": "https://…"}',
      ),
    );
  const given: Partial<Record<string, unknown>> = { ...raw };
  return defined({ name: textOf(given, "name"), url: textOf(given, "url"), ...readToken(given) });
}

/** The name and address that a link suggests, which the person may change. Undefined for any other argument. */
export function readSuggestion(raw: unknown): Pick<ConnectArguments, "name" | "url"> | undefined {
  if (typeof raw !== "object" || raw === null || !("kind" in raw) || raw.kind !== "link")
    return undefined;
  const { name, url } = readConnectArguments(raw);
  return defined({ name, url });
}

/** The argument of the commands for a crew's tokens, besides the crew. */
export interface TokenArguments {
  readonly token?: string;
  readonly tokenType?: TokenType;
}

/** Reads an argument or a row of the tree. @throws UserError for a wrong type; the message never quotes a value */
export function readTokenArguments(raw: unknown): TokenArguments {
  if (typeof raw !== "object" || raw === null) return {};
  const given: Partial<Record<string, unknown>> = { ...raw };
  return readToken(given);
}

function readToken(given: Partial<Record<string, unknown>>): TokenArguments {
  return defined({ token: textOf(given, "token"), tokenType: tokenTypeOf(given) });
}

function tokenTypeOf({ tokenType }: Partial<Record<string, unknown>>): TokenType | undefined {
  if (tokenType === undefined || tokenType === "bearer" || tokenType === "userBearer")
    return tokenType;
  throw new UserError(vscode.l10n.t("“{0}” must be “bearer” or “userBearer”.", "tokenType"));
}

function textOf(given: Partial<Record<string, unknown>>, key: string): string | undefined {
  const value = given[key];
  if (value === undefined) return undefined;
  if (typeof value !== "string" || value.trim() === "")
    throw new UserError(vscode.l10n.t("“{0}” must be a non-empty string.", key));
  return value;
}
