import * as v from "valibot";
import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { defined, isObject, type JsonObject } from "../base/json.ts";
import { parseUri } from "./execution-uri.ts";

// For pages. All of valibot would ship if one took it from there by itself.
export { safeParse } from "valibot";

// What an action takes, by the members' names. Null counts as missing.

const string = v.string(vscode.l10n.t("a string"));
const filled = vscode.l10n.t("a non-empty string");
const strings = vscode.l10n.t("an object of strings");

export const text = v.exactOptional(string);
export const neededText = v.pipe(string, v.nonEmpty());
export const filledText = v.exactOptional(v.pipe(v.string(filled), v.regex(/\S/, filled)));
export const neededFlag = v.boolean(vscode.l10n.t("true or false"));
export const flag = v.exactOptional(neededFlag);
export const number = wholeNumberFrom(1);
export const wholeNumber = wholeNumberFrom(0);
export const jsonObject = v.custom<JsonObject>(
  isJsonObject,
  vscode.l10n.t("an object of JSON values"),
);
export const json = v.exactOptional(jsonObject);
export const texts = v.exactOptional(v.record(v.string(), v.string(strings), strings));

function wholeNumberFrom(least: number) {
  const message = vscode.l10n.t("a whole number from {0}", least);
  return v.exactOptional(
    v.pipe(v.number(message), v.safeInteger(message), v.minValue(least, message)),
  );
}

export function list<Item extends v.GenericSchema>(item: Item) {
  return v.exactOptional(v.array(item));
}

export function choice<const Value extends string>(values: readonly Value[]) {
  return v.picklist(values, vscode.l10n.t("one of {0}", values.join(", ")));
}

export function oneOf<const Value extends string>(values: readonly Value[]) {
  return v.exactOptional(choice(values));
}

export const targetMembers = {
  /** Name, address or id of a crew. */
  crew: text,
  /** Any kickoff id of an execution, or its local id. */
  kickoffId: text,
  taskId: text,
  /** From 1. */
  attempt: number,
  /** Read from a document's URI, which keeps the crew's original name. */
  isDocument: flag,
};

export type Target = v.InferOutput<v.ObjectSchema<typeof targetMembers, undefined>>;

/** The named members of an object, a tree row or a document's URI. @throws UserError that names what is wrong */
export function read<Members extends v.ObjectEntries>(
  members: Members,
  argument: unknown,
): v.InferOutput<v.ObjectSchema<Members, undefined>> {
  const given = argument instanceof vscode.Uri ? targetIn(argument) : recordOf(argument);
  const result = v.safeParse(v.object(members), given, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const name = String(issue.path?.[0].key);
  throw new UserError(problemIn(name, issue, members[name]));
}

export function readTarget(argument: unknown): Target {
  return read(targetMembers, argument);
}

function targetIn(uri: vscode.Uri): Target {
  const { address, part } = parseUri(uri) ?? {};
  if (address === undefined) return {};
  const { crewName: crew, key: kickoffId } = address;
  const { taskId, attempt } = part?.kind === "attempt" ? part : {};
  return { crew, kickoffId, ...defined({ taskId, attempt }), isDocument: true };
}

/** @throws UserError unless it is an object or missing */
function recordOf(argument: unknown): object {
  if (argument === undefined || argument === null) return {};
  if (isObject(argument))
    return Object.fromEntries(
      Object.entries(argument).filter(([, value]) => value !== null && value !== undefined),
    );
  const type = Array.isArray(argument) ? "a list" : typeof argument;
  throw new UserError(vscode.l10n.t("The argument must be one object, not {0}.", type));
}

/** Never quotes a value: it may be a token. */
function problemIn(
  name: string,
  { type, input, message }: v.BaseIssue<unknown>,
  member: object | undefined,
): string {
  const isChoice = member !== undefined && "options" in member && "message" in member;
  if (isChoice) return vscode.l10n.t("“{0}” must be {1}.", name, String(member.message));
  return input === undefined || type === "non_empty"
    ? vscode.l10n.t("“{0}” is missing.", name)
    : vscode.l10n.t("“{0}” must be {1}.", name, message);
}

function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value) && Object.values(value).every(isJson);
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  return Array.isArray(value) ? value.every(isJson) : isJsonObject(value);
}
