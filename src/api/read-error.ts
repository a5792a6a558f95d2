import type { CrewPlace } from "./errors.ts";
import {
  asArray,
  asObject,
  isObject,
  numberAt,
  parseJson,
  textAt,
  type UnknownObject,
} from "./json.ts";
import { oneLine } from "./one-line.ts";

/** What the body of an error answer says. */
export interface ErrorBody {
  /** One line for a person; absent where the body says nothing. */
  readonly message?: string;
  readonly missingInputs: readonly string[];
  /** What the local service says of its own beside the API's members; see {@link ownOf}. */
  readonly own?: LocalProblem;
}

/** The crew's project can't be read. */
export interface LocalProblem {
  readonly place?: CrewPlace;
  /** The service says that the kickoff started nothing. */
  readonly isNotStarted: boolean;
}

const messageLength = 300;
/** More of a page than this is not searched for its first line. */
const searchedLength = 8192;

/**
 * Reads the body of an error: `{error, message, details}` (documented), `{detail}` as a text or FastAPI's list (observed), a
 * plain text, or a gateway's page.
 * @param knownInputs names of the crew's inputs, which tell a comma inside a name from one between names
 */
export function readErrorBody(text: string, knownInputs: readonly string[] = []): ErrorBody {
  const parsed = parseJson(text);
  if (typeof parsed === "string") return withMessage(parsed, []);
  if (!isObject(parsed)) return withMessage(withoutTags(text), []);
  const told = messageOf(parsed);
  const own = ownOf(parsed);
  return { ...withMessage(told, missingOf(parsed, told, knownInputs)), ...(own && { own }) };
}

/**
 * `details.crewdeck` of the local service: `{file, line, column, started: false}`. The name is Crewdeck's, so that no deployed crew has
 * it by accident, and only the value false says that nothing was started.
 */
function ownOf(body: UnknownObject): LocalProblem | undefined {
  const own = asObject(body["details"])["crewdeck"];
  if (!isObject(own)) return undefined;
  const [file, line, column] = [
    textAt(own, "file"),
    numberAt(own, "line"),
    numberAt(own, "column"),
  ];
  const place =
    file === undefined || line === undefined || column === undefined
      ? undefined
      : { file, line, column };
  return { ...(place && { place }), isNotStarted: own["started"] === false };
}

function withMessage(text: string | undefined, missingInputs: readonly string[]): ErrorBody {
  const message = oneLine(text ?? "", messageLength);
  return { ...(message === "" ? {} : { message }), missingInputs };
}

function messageOf(body: UnknownObject): string | undefined {
  return (
    textAt(body, "message") ??
    detailOf(body["detail"]) ??
    textAt(body, "error") ??
    textAt(asObject(body["error"]), "message")
  );
}

/** `detail` is a text, an object with a message, or FastAPI's list of `{loc, msg, type}`. */
function detailOf(detail: unknown): string | undefined {
  if (typeof detail === "string" && detail.trim() !== "") return detail;
  if (isObject(detail)) return messageOf(detail) ?? textAt(detail, "msg");
  const lines = asArray(detail).map((one) => {
    const place = asArray(asObject(one)["loc"]).map(String).join(".");
    const problem = textAt(asObject(one), "msg") ?? "";
    return place === "" ? problem : `${place}: ${problem}`;
  });
  return lines.length > 0 ? lines.join("; ") : undefined;
}

function missingOf(
  body: UnknownObject,
  told: string | undefined,
  known: readonly string[],
): readonly string[] {
  const detail = asObject(body["detail"]);
  for (const details of [body["details"], detail["details"], detail, body]) {
    const listed = asArray(asObject(details)["missing_inputs"]).filter(
      (name) => typeof name === "string",
    );
    if (listed.length > 0) return listed;
  }
  const located = asArray(body["detail"])
    .map(missingAt)
    .filter((name) => name !== undefined);
  if (located.length > 0) return located;
  const names = /missing (?:required )?inputs?:\s*(.+)$/is.exec(told ?? "")?.[1];
  return names === undefined ? [] : splitNames(names.trim(), known);
}

/** The input that one entry of FastAPI's list says is missing, from its place `["body", "inputs", <name>]`. */
function missingAt(entry: unknown): string | undefined {
  const { loc, type } = asObject(entry);
  const place = asArray(loc);
  const name = place[place.indexOf("inputs") + 1];
  return place.includes("inputs") && String(type).includes("missing") && typeof name === "string"
    ? name
    : undefined;
}

/** Splits at commas, but never inside a known name: any text at all can be an input's name. */
function splitNames(text: string, known: readonly string[]): readonly string[] {
  const longestFirst = [...known].sort((a, b) => b.length - a.length);
  const names: string[] = [];
  for (let rest = text; rest !== "";) {
    const name =
      longestFirst.find(
        (one) => one !== "" && rest.startsWith(one) && /^\s*(?:,|$)/.test(rest.slice(one.length)),
      ) ??
      rest.split(",", 1)[0] ??
      rest;
    if (name.trim() !== "") names.push(name.trim());
    rest = rest.slice(name.length).replace(/^\s*,?\s*/, "");
  }
  return names;
}

/** The first line of a page's or a plain text's words. */
function withoutTags(text: string): string {
  const words = text
    .slice(0, searchedLength)
    .replace(/<(style|script)\b[^<>]*>[^<]*<\/\1>/gi, "")
    .replace(/<[^<>]*>/g, "\n");
  return decoded(words.split(/[\r\n]+/).find((line) => line.trim() !== "") ?? "");
}

function decoded(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    nbsp: " ",
    amp: "&",
  };
  return text.replace(
    /&(lt|gt|quot|apos|nbsp|amp);/g,
    (whole, name: string) => entities[name] ?? whole,
  );
}
