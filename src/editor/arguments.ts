import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { defined, isObject, type JsonObject, type UnknownObject } from "../base/json.ts";
import { parseExecutionUri, parsePartUri } from "./execution-uri.ts";

export interface Target {
  /** Name, address or id of a crew. */
  readonly crew?: string;
  /** Any kickoff id of an execution, or its local id. */
  readonly kickoffId?: string;
  readonly taskId?: string;
  /** From 1; only in the URI of an attempt's output. */
  readonly attempt?: number;
  /** Read from a document's URI, which keeps the crew's original name. */
  readonly isDocument?: boolean;
}

/** Members of what VS Code passes to commands: tree rows, lenses, URIs. */
const marks = ["kind", "fromLens", "scheme"];

/** Whether a program, such as a task, runs the command: then don't ask, and throw errors. */
export function isProgram(argument: unknown): boolean {
  if (argument === undefined || argument === null) return false;
  return (
    !isObject(argument) ||
    (Object.getPrototypeOf(argument) === Object.prototype &&
      !marks.some((mark) => mark in argument))
  );
}

/** Reads a command's argument: an object, a tree row or a document's URI. @throws UserError */
export function targetOf(argument: unknown): Target {
  if (argument instanceof vscode.Uri) {
    const parsed = parsePartUri(argument);
    const address = parsed?.address ?? parseExecutionUri(argument);
    if (address === undefined) return {};
    const task =
      parsed?.part.kind === "attempt"
        ? { taskId: parsed.part.taskId, attempt: parsed.part.attempt }
        : {};
    return { crew: address.crewName, kickoffId: address.key, ...task, isDocument: true };
  }
  const given = recordOf(argument);
  return defined({
    crew: stringOf(given, "crew"),
    kickoffId: stringOf(given, "kickoffId"),
    taskId: stringOf(given, "taskId"),
  });
}

/** @throws UserError unless it is an object or missing */
export function recordOf(argument: unknown): UnknownObject {
  if (argument === undefined || argument === null) return {};
  if (isObject(argument)) return { ...argument };
  const type = Array.isArray(argument) ? "a list" : typeof argument;
  throw new UserError(vscode.l10n.t("The argument must be one object, not {0}.", type));
}

// Never quote a value: it may be a token.

export function stringOf(given: UnknownObject, name: string): string | undefined {
  const value = given[name] ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw new UserError(vscode.l10n.t("“{0}” must be a string, not {1}.", name, typeof value));
}

/** @throws UserError unless it is a whole number from 1 */
export function numberOf(given: UnknownObject, name: string): number | undefined {
  const value = given[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1) return value;
  throw new UserError(vscode.l10n.t("“{0}” must be a whole number from 1.", name));
}

export function booleanOf(given: UnknownObject, name: string): boolean | undefined {
  const value = given[name] ?? undefined;
  if (value === undefined || typeof value === "boolean") return value;
  throw new UserError(vscode.l10n.t("“{0}” must be true or false, not {1}.", name, typeof value));
}

export function objectOf(given: UnknownObject, name: string): JsonObject | undefined {
  const value = given[name] ?? undefined;
  if (value === undefined || isJsonObject(value)) return value;
  throw new UserError(vscode.l10n.t("“{0}” must be an object of JSON values.", name));
}

export function oneOf<Value extends string>(
  given: UnknownObject,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const text = stringOf(given, name);
  const found = values.find((value) => value === text);
  if (text === undefined || found !== undefined) return found;
  throw new UserError(vscode.l10n.t("“{0}” must be one of {1}.", name, values.join(", ")));
}

export function needed<T>(value: T | undefined, name: string): T {
  if (value === undefined || value === "")
    throw new UserError(vscode.l10n.t("“{0}” is missing.", name));
  return value;
}

function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value) && Object.values(value).every(isJson);
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  return Array.isArray(value) ? value.every(isJson) : isJsonObject(value);
}
