import * as l10n from "@vscode/l10n";
import { formatSize } from "../../base/text.ts";
import { outputLines } from "./embed.ts";
import { quotedLines } from "./markdown.ts";
import { isLarge } from "./outputs.ts";
import type { Part } from "./sections.ts";

/** How many characters of a large output a document shows. */
const beginning = 100_000;

/** A part with an output below its heading. Of a large output only the beginning is shown, and the document says so. */
export function outputPart(
  id: string,
  heading: readonly string[],
  output: string,
  level: number,
): Part {
  const above = heading.length === 0 ? [] : [...heading, ""];
  if (output.trim() === "") return { id, lines: [...above, `*${l10n.t("empty output")}*`] };
  if (!isLarge(output)) return { id, lines: [...above, ...outputLines(output, level)] };
  const size = l10n.t(
    "This output is large: {0}. Here is its beginning; “Open Output” shows all of it.",
    formatSize(Buffer.byteLength(output)),
  );
  return {
    id,
    lines: [...above, ...quotedLines([size]), "", ...outputLines(beginningOf(output), level)],
  };
}

/** The first lines of an output; of one endless line, its beginning. */
function beginningOf(output: string): string {
  const text = output.slice(0, beginning);
  const end = text.lastIndexOf("\n");
  return `${end < beginning / 2 ? text : text.slice(0, end)}\n\n…`;
}
