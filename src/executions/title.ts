import { oneLine } from "../api/one-line.ts";
import type { JsonValue } from "../api/types.ts";
import { type Execution, keyOf } from "./model.ts";

/** Longest title made from an input, in characters. */
const LONGEST = 60;

/** What an execution is called: the person's own label, else the first input's value that says something, shortened, else the start of its id. One line of text. */
export function titleOf(execution: Execution): string {
  const label = oneLine(execution.label ?? "");
  if (label !== "") {
    return label;
  }
  for (const value of Object.values(execution.request?.inputs ?? {})) {
    const text = shorten(oneLine(textOf(value)));
    if (text !== "") {
      return text;
    }
  }
  return keyOf(execution).slice(0, 8);
}

function textOf(value: JsonValue): string {
  if (typeof value === "string") {
    return value;
  }
  return value === null ? "" : JSON.stringify(value);
}

function shorten(text: string): string {
  const characters = Array.from(text);
  return characters.length <= LONGEST ? text : `${characters.slice(0, LONGEST - 1).join("").trimEnd()}…`;
}
