import {
  asArray,
  asObject,
  isObject,
  numberAt,
  parseJson,
  textAt,
  wordsIn,
  type UnknownObject,
} from "../base/json.ts";
import { oneLine } from "../base/text.ts";
import type { CrewPlace } from "./errors.ts";

interface ErrorBody {
  readonly message?: string;
  readonly missingInputs: readonly string[];
  readonly own?: LocalProblem;
}

export interface LocalProblem {
  readonly place?: CrewPlace;
  readonly isNotStarted: boolean;
  readonly canKeepChanged: boolean;
  readonly asksPython: boolean;
}

const messageLength = 300;
const searchedLength = 8192;

/**
 * Documented: `{error, message, details}`. Observed: `{detail}` as text or FastAPI's list, plain
 * text, and a gateway's page.
 */
export function readErrorBody(text: string): ErrorBody {
  const parsed = parseJson(text);
  if (typeof parsed === "string") return withMessage(parsed, []);
  if (!isObject(parsed)) return withMessage(wordsOf(parsed) ?? withoutTags(text), []);
  const message = messageOf(parsed);
  const own = localProblemOf(parsed);
  return { ...withMessage(message, missingOf(parsed, message)), ...(own && { own }) };
}

/** The local service's own `details.crewdeck`: `{file, line, column, started: false}`, `{can_keep_changed}` or `{started: false, ask_python}`. */
function localProblemOf(body: UnknownObject): LocalProblem | undefined {
  const own = asObject(body["details"])["crewdeck"];
  if (!isObject(own)) return undefined;
  const isNotStarted = own["started"] === false;
  const canKeepChanged = own["can_keep_changed"] === true;
  const asksPython = own["ask_python"] === true;
  const problem = { isNotStarted, canKeepChanged, asksPython };
  const file = textAt(own, "file");
  const [line, column] = [numberAt(own, "line"), numberAt(own, "column")];
  return file === undefined || line === undefined || column === undefined
    ? problem
    : { place: { file, line, column }, ...problem };
}

function withMessage(text: string | undefined, missingInputs: readonly string[]): ErrorBody {
  const message = oneLine(text ?? "", messageLength);
  return message === "" ? { missingInputs } : { message, missingInputs };
}

/** Members with words for a person, the most telling first: all were seen in answers of services. */
const wordy = [
  ...["message", "error_description", "detail", "error", "errors"],
  ...["msg", "reason", "title", "text", "description", "code"],
];

function messageOf(body: UnknownObject): string | undefined {
  const parts = ["detail", "error", "errors"].map((name) => body[name]);
  // A code or a number alone says more than a status.
  return wordsOf(body) ?? [...parts, body].map(shortJson).find((json) => json !== undefined);
}

/** Of a text, an object, a list of them, or FastAPI's list of `{loc, msg, type}`. */
function wordsOf(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (Array.isArray(value)) {
    const lines = asArray(value).flatMap((each) => wordsOf(each) ?? []);
    return lines.length === 0 ? undefined : lines.join("; ");
  }
  if (!isObject(value)) return undefined;
  const place = wordsIn(value["loc"]).join(".");
  const words = wordy
    .filter((name) => Object.hasOwn(value, name))
    .map((name) => wordsOf(value[name]))
    .find((found) => found !== undefined);
  return [place, words].filter(Boolean).join(": ") || undefined;
}

function shortJson(value: unknown): string | undefined {
  const isEmpty = typeof value !== "object" || Object.values(value ?? {}).every(isNothing);
  return isEmpty ? undefined : JSON.stringify(value);
}

function isNothing(value: unknown): boolean {
  return (
    value === null ||
    (typeof value === "string" && value.trim() === "") ||
    (typeof value === "object" && Object.values(value).every(isNothing))
  );
}

function missingOf(body: UnknownObject, message = ""): readonly string[] {
  const detail = asObject(body["detail"]);
  const listed = [body["details"], detail["details"], detail, body].map((details) =>
    asArray(asObject(details)["missing_inputs"]).filter((name) => typeof name === "string"),
  );
  const located = asArray(body["detail"]).flatMap((entry) => missingAt(entry) ?? []);
  const structured = [...listed, located].find((found) => found.length > 0);
  if (structured !== undefined) return structured;
  const names = /missing (?:required )?inputs?:\s*(.+)$/is.exec(message)?.[1] ?? "";
  return names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** FastAPI's `loc` of a missing input is `["body", "inputs", <name>]`. */
function missingAt(entry: unknown): string | undefined {
  const { loc, type } = asObject(entry);
  const place = asArray(loc);
  const name = place.includes("inputs") ? place[place.indexOf("inputs") + 1] : undefined;
  const isMissing = typeof type === "string" && type.includes("missing");
  return typeof name === "string" && isMissing ? name : undefined;
}

/** The title of a page, otherwise its first words. */
function withoutTags(text: string): string {
  const shown = text
    .slice(0, searchedLength)
    .replace(/<!--.*?(?:-->|$)|<(style|script)\b.*?(?:<\/\1>|$)/gis, "");
  const title = /<title\b[^<>]*>([^<]*)/i.exec(shown)?.[1] ?? "";
  const lines = `${oneLine(title)}\n${shown.replace(/<[^<>]*>/g, "\n")}`;
  const first = lines.split(/[\r\n]+/).find((line) => line.trim() !== "") ?? "";
  return first.replace(/&[a-z]+;/g, (entity) => entities.get(entity) ?? entity);
}

const entities = new Map(
  Object.entries({
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&apos;": "'",
    "&nbsp;": " ",
    "&amp;": "&",
  }),
);
