import * as vscode from "vscode";
import type { JsonObject } from "../api/types.ts";
import { UserError } from "../base/errors.ts";
import { parseExecutionUri, parsePartUri } from "../editor/execution-uri.ts";

/** What a command's first argument names, wherever it came from. */
export interface Target {
  /** Name, address or id of a crew. */
  readonly crew?: string;
  /** Any kickoff id of an execution, or its local id. */
  readonly kickoffId?: string;
  readonly taskId?: string;
  /** Counts from 1; told only by the document of an attempt's output. */
  readonly attempt?: number;
  /** Read off a document's address, which keeps the crew's name of when it was opened. */
  readonly isDocument?: boolean;
}

/** What the window itself hands to a command: rows of the tree carry a `kind`, lenses say so, documents are addresses, replies have a `thread`. */
const marks = ["kind", "fromLens", "scheme", "thread"];

/** Whether an argument comes from another extension, a task or a keybinding: those are not asked what they have said, and what is wrong is handed back to them. */
export function isProgram(argument: unknown): boolean {
  if (argument === undefined || argument === null) return false;
  return (
    typeof argument !== "object" ||
    Array.isArray(argument) ||
    (Object.getPrototypeOf(argument) === Object.prototype &&
      !marks.some((mark) => mark in argument))
  );
}

/** Reads a command's first argument: a plain object, a row of the tree, or a document's address. @throws UserError for a wrong type. */
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
  return {
    ...optional("crew", stringOf(given, "crew")),
    ...optional("kickoffId", stringOf(given, "kickoffId")),
    ...optional("taskId", stringOf(given, "taskId")),
  };
}

/** The argument as a plain record; nothing at all is an empty one. @throws UserError for anything but an object. */
export function recordOf(argument: unknown): Readonly<Record<string, unknown>> {
  if (argument === undefined || argument === null) return {};
  if (typeof argument !== "object" || Array.isArray(argument)) {
    throw new UserError(
      vscode.l10n.t(
        "The argument must be one object, not {0}.",
        Array.isArray(argument) ? "a list" : typeof argument,
      ),
    );
  }
  return { ...argument };
}

/** A text of the argument. @throws UserError where it is there and no text. */
export function stringOf(
  given: Readonly<Record<string, unknown>>,
  name: string,
): string | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string")
    throw new UserError(vscode.l10n.t("“{0}” must be a text, not {1}.", name, typeof value));
  return value;
}

/** A whole number of the argument, from 1. @throws UserError where it is there and none. */
export function numberOf(
  given: Readonly<Record<string, unknown>>,
  name: string,
): number | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1)
    throw new UserError(vscode.l10n.t("“{0}” must be a whole number from 1.", name));
  return value;
}

/** A yes or no of the argument. @throws UserError where it is there and neither. */
export function booleanOf(
  given: Readonly<Record<string, unknown>>,
  name: string,
): boolean | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean")
    throw new UserError(vscode.l10n.t("“{0}” must be true or false, not {1}.", name, typeof value));
  return value;
}

/** A JSON object of the argument. @throws UserError where it is there and is none. */
export function objectOf(
  given: Readonly<Record<string, unknown>>,
  name: string,
): JsonObject | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value))
    throw new UserError(vscode.l10n.t("“{0}” must be an object of JSON values.", name));
  return value;
}

/** A part of the argument that must be there. @throws UserError where it is not, or an empty text */
export function needed<T>(value: T | undefined, name: string): T {
  if (value === undefined || value === "")
    throw new UserError(vscode.l10n.t("“{0}” is missing.", name));
  return value;
}

/** `{[name]: value}`, or nothing where there is no value. */
export function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): Partial<Record<Name, Value>> {
  const record: Partial<Record<Name, Value>> = {};
  if (value !== undefined) record[name] = value;
  return record;
}

function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(isJson)
  );
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  return Array.isArray(value) ? value.every(isJson) : isJsonObject(value);
}
