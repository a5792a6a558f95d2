import { isObject, type JsonValue } from "../base/json.ts";
import { oneLine } from "../base/text.ts";
import { type Execution, type ExecutionSummary, keyOf } from "./model.ts";
import { summaryOf } from "./record.ts";

/** Longest title made from inputs, and longest label, which a request file may set (characters). */
const [longest, longestLabel] = [60, 120];
const compared = 100;
const between = " · ";

export function titleOf(execution: ExecutionSummary): string {
  const { text, number } = execution.title ?? { text: titleFrom(execution, []), number: 1 };
  if (text === undefined) return keyOf(execution).slice(0, 8);
  return number === 1 ? text : `${text} (${number})`;
}

/** The label, else inputs that differ from earlier ones, else the one that says most. @param all newest first */
export function newTitle(whole: Execution, all: readonly ExecutionSummary[]) {
  const execution = summaryOf(whole);
  const { crew, localId } = execution;
  const others = all.filter((other) => other.crew.id === crew.id && other.localId !== localId);
  const text = titleFrom(execution, differing(execution, others));
  if (text === undefined) return undefined;
  const numbers = others.map(({ title }) => (title?.text === text ? title.number : 0));
  return { text, number: numbers.reduce((most, number) => Math.max(most, number), 0) + 1 };
}

function differing({ request }: ExecutionSummary, others: readonly ExecutionSummary[]) {
  const inputs = request?.inputs ?? {};
  const started = others.slice(0, compared).flatMap((other) => other.request ?? []);
  return Object.keys(inputs).filter((name) =>
    started.some((other) => sorted(other.inputs[name]) !== sorted(inputs[name])),
  );
}

/** The order of names in an object makes no difference. */
function sorted(value: JsonValue | undefined): string {
  const withOrder = (_: string, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).sort()) : each;
  return JSON.stringify(value, withOrder);
}

function titleFrom({ label, request }: ExecutionSummary, distinguishing: readonly string[]) {
  const inputs = Object.entries(request?.inputs ?? {});
  const parts = inputs.flatMap(([name, value]) =>
    distinguishing.includes(name) ? partOf(name, value) : [],
  );
  const texts = inputs.map(([, value]) => oneLine(textOf(value), longest));
  const telling = texts.toSorted((one, other) => wordsIn(other) - wordsIn(one));
  return [oneLine(label ?? "", longestLabel), fit(parts.slice(0, 4)), ...telling].find(
    (text) => text !== "",
  );
}

/** At most two, and of what is cut off one; none in a number, a Boolean, an address and JSON. */
function wordsIn(text: string): number {
  const says = !/^(?:true|false|yes|no|\w+:\/\/.*|[{[].*)$/i.test(text);
  const words = says ? (text.match(/\p{L}[\p{L}\p{M}'’-]*/gu) ?? []) : [];
  return Math.min(words.length, text.endsWith("…") ? 1 : 2);
}

/** Numbers, booleans and JSON need their input's name. */
function partOf(name: string, value: JsonValue): readonly string[] {
  const text = oneLine(textOf(value));
  if (text === "") return [];
  const needsName =
    typeof value !== "string" || /^(?:[^\p{L}]*|true|false|yes|no|[{[].{79,})$/iu.test(text);
  return [needsName ? `${oneLine(name)}: ${text}` : text];
}

/** Joins parts on one line; short ones leave their share to longer ones. */
function fit(parts: readonly string[]): string {
  const joined = (share: number) => parts.map((part) => oneLine(part, share)).join(between);
  let share = longest;
  while (Array.from(joined(share)).length > longest) share -= 1;
  return joined(share);
}

function textOf(value: JsonValue): string {
  if (typeof value === "string") return value;
  return value === null ? "" : JSON.stringify(value);
}
