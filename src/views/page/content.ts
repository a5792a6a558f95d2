import type { JsonValue } from "../../base/json.ts";
import { isRehearsalOutput } from "../../executions/model.ts";
import { cleanText, outputContent } from "../../view/markdown.ts";

/** Of a text on the page: a browser renders more too slowly. */
export const mostCharacters = 100_000;
/** Of an attempt on the page: the last ones. It gets one more, if there are more. */
export const mostSteps = 100;

/** A text of the crew or of a person, as the page shows it: `json` is formatted, `text` keeps its lines. */
export function contentOf(output: string) {
  const isCut = output.length >= mostCharacters;
  const { extension, text } = outputContent(output);
  if (extension === "json") return { kind: "json", text, isCut };
  // The beginning of a JSON text is none.
  const isText = isRehearsalOutput(output) || (isCut && /^\s*[{[]/.test(output));
  const kind = isText ? "text" : "markdown";
  return { kind, text: cleanText(text.slice(0, mostCharacters)), isCut };
}

export function valueText(value: JsonValue): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.slice(0, mostCharacters);
}
