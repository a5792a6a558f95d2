import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { asObject, textAt } from "../base/json.ts";
import { isLoopback } from "../base/loopback.ts";
import { withoutEndSlashes } from "../base/text.ts";
import type { ModelReference } from "../base/window-protocol.ts";

/** Which model a local crew uses. Its key is only in SecretStorage. */
export type ModelChoice =
  /** What the project's `.env` says. */
  | { readonly use: "project" }
  /** One of VS Code's models. The person has agreed to it. */
  | ({ readonly use: "vscode" } & ModelReference)
  | {
      readonly use: "endpoint";
      readonly baseUrl: string;
      /** As the endpoint names it. */
      readonly model: string;
      readonly hasKey: boolean;
      /** When it was chosen (ms), because a new key changes nothing else. */
      readonly at: number;
    };

export const projectChoice: ModelChoice = { use: "project" };

/** Reads a stored choice. */
export function readChoice(stored: unknown): ModelChoice {
  const value = asObject(stored);
  const { use, hasKey, at } = value;
  const vendor = textAt(value, "vendor");
  const id = textAt(value, "id");
  const baseUrl = textAt(value, "baseUrl");
  const model = textAt(value, "model");
  if (use === "vscode" && vendor !== undefined && id !== undefined)
    return { use, vendor, id, name: textAt(value, "name") ?? id };
  if (use === "endpoint" && baseUrl !== undefined && model !== undefined)
    return { use, baseUrl, model, hasKey: hasKey === true, at: Number(at) };
  return projectChoice;
}

/** Without a slash at the end. @throws UserError, which doesn't quote the address */
export function readBaseUrl(text: string): string {
  const address = text.trim();
  if (!URL.canParse(address) || !/^https?:\/\//i.test(address))
    throw new UserError(
      vscode.l10n.t("Enter the endpoint's whole address, such as https://models.example.com/v1."),
    );
  const url = new URL(address);
  if (url.username !== "" || url.password !== "")
    throw new UserError(
      vscode.l10n.t(
        "The address has a user name or password. Remove it: the key is stored separately.",
      ),
    );
  if (url.search !== "" || url.hash !== "")
    throw new UserError(vscode.l10n.t("The address can't have a query or a fragment (? or #)."));
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw new UserError(
      vscode.l10n.t(
        "The address must start with https://, because prompts and a key are sent there. Use http:// only for this computer (localhost, 127.0.0.1).",
      ),
    );
  return withoutEndSlashes(
    withoutEndSlashes(`${url.origin}${url.pathname}`).replace(/\/chat\/completions$/, ""),
  );
}

/** @throws UserError, which doesn't quote the key */
export function readKey(text: string): string {
  const key = text.trim();
  if (/^[\x21-\x7e]*$/.test(key)) return key;
  throw new UserError(vscode.l10n.t("A key can't have spaces or characters that aren't ASCII."));
}
