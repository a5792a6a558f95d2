import { defined } from "../base/json.ts";
import * as vscode from "vscode";
import type { TokenType } from "../api/types.ts";
import { UserError } from "../editor/errors.ts";

/** What the command `crewdeck.addCrew` may be called with. */
export interface ConnectArguments {
  readonly name?: string;
  readonly url?: string;
  readonly token?: string;
  readonly tokenType?: TokenType;
}

/** Reads the argument of `crewdeck.addCrew`. Throws {@link UserError} for a wrong type; the message never quotes a value, which may be a token. */
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
  const name = textOf(given, "name");
  const url = textOf(given, "url");
  const token = textOf(given, "token");
  const tokenType = tokenTypeOf(given);
  return {
    ...defined({ name, url, token, tokenType }),
  };
}

/** What a link or a message suggests for a conversation: filled in, and open to change. Nothing where the argument is none of that sort. */
export function readSuggestion(raw: unknown): Pick<ConnectArguments, "name" | "url"> | undefined {
  if (typeof raw !== "object" || raw === null || !("kind" in raw) || raw.kind !== "link")
    return undefined;
  const { name, url } = readConnectArguments(raw);
  return { ...defined({ name, url }) };
}

/** What the commands about a crew's tokens may be called with, beside the crew. */
export interface TokenArguments {
  readonly token?: string;
  readonly tokenType?: TokenType;
}

/** Reads what an argument, or a row of the tree, says of a token. Throws {@link UserError} for a wrong type; the message never quotes a value. */
export function readTokenArguments(raw: unknown): TokenArguments {
  if (typeof raw !== "object" || raw === null) return {};
  const given: Partial<Record<string, unknown>> = { ...raw };
  const token = textOf(given, "token");
  const tokenType = tokenTypeOf(given);
  return {
    ...defined({ token, tokenType }),
  };
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
    throw new UserError(vscode.l10n.t("“{0}” must be a text that is not empty.", key));
  return value;
}
