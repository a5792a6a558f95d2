import type { JsonValue } from "../../base/json.ts";
import { formatSize } from "../../base/text.ts";
import { isRehearsalOutput } from "../../executions/model.ts";
import { outputContent } from "../../view/outputs.ts";
import { cleanText } from "../../view/markdown.ts";
import type { Content } from "./messages.ts";

/** Characters of a text on the page; a browser renders more too slowly. */
const longest = 100_000;

export function contentOf(output: string): Content {
  if (output.length > longest) {
    const beginning = cleanText(output.slice(0, longest));
    const end = beginning.lastIndexOf("\n");
    return {
      // The beginning of a JSON text is none.
      kind: /^\s*[{[]/.test(beginning) || isRehearsalOutput(output) ? "text" : "markdown",
      text: end < longest / 2 ? beginning : beginning.slice(0, end),
      cutFrom: formatSize(Buffer.byteLength(output)),
    };
  }
  const { extension, text } = outputContent(output);
  if (extension === "json") return { kind: "json", text };
  return { kind: isRehearsalOutput(output) ? "text" : "markdown", text: cleanText(text) };
}

/** An input, as it was given. */
export function valueContent(value: JsonValue): Content {
  return contentOf(typeof value === "string" ? value : JSON.stringify(value));
}
