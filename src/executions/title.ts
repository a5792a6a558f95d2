import { oneLine } from "../base/text.ts";
import type { JsonValue } from "../api/types.ts";
import { type ExecutionSummary, keyOf } from "./model.ts";

/** Longest title made from inputs, in characters. */
const LONGEST = 60;
/** Longest title that is a label, in characters: a request file brings any, and a dialog grows with its text. */
const LONGEST_LABEL = 120;
/** Inputs of one title at most; more would leave each of them too few characters. */
const MOST_INPUTS = 4;
const BETWEEN = " · ";

/** What an execution is called, in one line: among the others of its crew where a store holds it, else by itself. */
export function titleOf(execution: ExecutionSummary): string {
  return execution.title?.text ?? titleFrom(execution, []);
}

/** Whether other executions of the same crew have the same title but for the number. */
export function sharesTitle(execution: ExecutionSummary): boolean {
  return execution.title?.isShared ?? false;
}

/**
 * The person's own label, else the values of the inputs that distinguish the execution from others, else the first input's value that says
 * something, shortened, else the start of its id. One line of text.
 */
export function titleFrom(execution: ExecutionSummary, distinguishing: readonly string[]): string {
  const label = oneLine(execution.label ?? "", LONGEST_LABEL);
  if (label !== "") {
    return label;
  }
  const inputs = Object.entries(execution.request?.inputs ?? {});
  const parts = inputs.flatMap(([name, value]) =>
    distinguishing.includes(name) ? partOf(name, value) : [],
  );
  if (parts.length > 0) {
    return fit(parts.slice(0, MOST_INPUTS));
  }
  for (const [, value] of inputs) {
    const text = oneLine(textOf(value), LONGEST);
    if (text !== "") {
      return text;
    }
  }
  return keyOf(execution).slice(0, 8);
}

/** A value as a part of a title; a number, a yes or JSON says nothing without its input's name. */
function partOf(name: string, value: JsonValue): readonly string[] {
  const text = oneLine(textOf(value));
  if (text === "") {
    return [];
  }
  const saysLittle =
    typeof value !== "string" || /^(?:[^\p{L}]*|true|false|yes|no|[{[].{79,})$/iu.test(text);
  return [saysLittle ? `${oneLine(name)}: ${text}` : text];
}

/** Parts in one line; each gets its share of the room, and what short ones leave goes to the longer ones. */
function fit(parts: readonly string[]): string {
  const short: string[] = [...parts];
  let room = LONGEST - BETWEEN.length * (parts.length - 1);
  const byLength = parts
    .map((part, at) => ({ part, at }))
    .sort((a, b) => a.part.length - b.part.length);
  byLength.forEach(({ part, at }, before) => {
    const text = oneLine(part, Math.floor(room / (parts.length - before)));
    short[at] = text;
    room -= Array.from(text).length;
  });
  return short.join(BETWEEN);
}

function textOf(value: JsonValue): string {
  if (typeof value === "string") {
    return value;
  }
  return value === null ? "" : JSON.stringify(value);
}
