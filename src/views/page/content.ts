import type { JsonValue } from "../../base/json.ts";
import { isRehearsalOutput } from "../../executions/model.ts";
import { cleanText, outputContent } from "../../view/markdown.ts";

/** Of a text on the page: a browser renders more too slowly. */
export const mostCharacters = 100_000;

/** Of an attempt on the page: the last ones. It gets one more, if there are more. */
export const mostSteps = 100;

/** A text of the crew or of a person, as the page shows it. */
export interface Content {
  /** `json` is formatted; `text` keeps its lines. */
  readonly kind: "markdown" | "json" | "text";
  readonly text: string;
  readonly isCut: boolean;
}

/** @param output the extension host may have cut it at {@link mostCharacters} */
export function contentOf(output: string): Content {
  const isRehearsal = isRehearsalOutput(output);
  if (output.length < mostCharacters) {
    const { extension, text } = outputContent(output);
    if (extension === "json") return { kind: "json", text, isCut: false };
    const kind = isRehearsal ? "text" : "markdown";
    return { kind, text: cleanText(text), isCut: false };
  }
  const beginning = cleanText(output.slice(0, mostCharacters));
  const end = beginning.lastIndexOf("\n");
  return {
    // The beginning of a JSON text is none.
    kind: /^\s*[{[]/.test(beginning) || isRehearsal ? "text" : "markdown",
    text: end < mostCharacters / 2 ? beginning : beginning.slice(0, end),
    isCut: true,
  };
}

/** An input, as it was given. */
export function valueText(value: JsonValue): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.slice(0, mostCharacters);
}
