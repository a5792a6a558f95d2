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

/** Documented: `{error, message, details}`. Observed: `{detail}` as text or FastAPI's list, plain text, and a gateway's page. */
export function readErrorBody(text: string) {
  const parsed = parseJson(text);
  const body = asObject(parsed);
  // A number alone says more than a status.
  const json = isObject(parsed) ? JSON.stringify(parsed).replace(/^\{\}$/, "") : undefined;
  const words = wordsOf(parsed) ?? json ?? withoutTags(text);
  return {
    message: oneLine(words, 300) || undefined,
    missingInputs: missingIn(body, words),
    own: localProblemIn(body),
  };
}

/** The local service's own `details.crewdeck`: `{file, line, column, started: false}`, `{can_keep_changed}` or `{started: false, ask_python}`. */
function localProblemIn(body: UnknownObject) {
  const own = asObject(body["details"])["crewdeck"];
  if (!isObject(own)) return undefined;
  const file = textAt(own, "file");
  const [line, column] = [numberAt(own, "line"), numberAt(own, "column")];
  const hasPlace = file !== undefined && line !== undefined && column !== undefined;
  return {
    place: hasPlace ? { file, line, column } : undefined,
    isNotStarted: own["started"] === false,
    canKeepChanged: own["can_keep_changed"] === true,
    asksPython: own["ask_python"] === true,
  };
}

/** Members with words for a person, the most telling first: all were seen in answers of services. */
const wordy = [
  ...["message", "error_description", "detail", "error", "errors"],
  ...["msg", "reason", "title", "text", "description", "code"],
];

/** Of a text, an object, a list of them, or FastAPI's list of `{loc, msg, type}`. */
function wordsOf(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (Array.isArray(value))
    return value.flatMap((each) => wordsOf(each) ?? []).join("; ") || undefined;
  if (!isObject(value)) return undefined;
  const place = wordsIn(value["loc"]).join(".");
  const words = wordy
    .filter((name) => Object.hasOwn(value, name))
    .map((name) => wordsOf(value[name]))
    .find((found) => found !== undefined);
  return [place, words].filter(Boolean).join(": ") || undefined;
}

function missingIn(body: UnknownObject, words: string): readonly string[] {
  const detail = asObject(body["detail"]);
  const listed = [body["details"], detail["details"], detail, body].map((details) =>
    asArray(asObject(details)["missing_inputs"]).filter((name) => typeof name === "string"),
  );
  const located = asArray(body["detail"]).flatMap((entry) => missingAt(entry) ?? []);
  const named = /missing (?:required )?inputs?:\s*(.+)$/is.exec(words)?.[1] ?? "";
  const spoken = named.split(",").flatMap((name) => name.trim() || []);
  return [...listed, located].find((found) => found.length > 0) ?? spoken;
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
    .slice(0, 8192)
    .replace(/<!--.*?(?:-->|$)|<(style|script)\b.*?(?:<\/\1>|$)/gis, "");
  const title = /<title\b[^<>]*>([^<]*)/i.exec(shown)?.[1] ?? "";
  const lines = `${oneLine(title)}\n${shown.replace(/<[^<>]*>/g, "\n")}`;
  return lines.split(/[\r\n]+/).find((line) => line.trim() !== "") ?? "";
}
