import * as l10n from "@vscode/l10n";
import { outputLines } from "./embed.ts";
import type { Part } from "./sections.ts";

/** More characters of one output are not put into a document: VS Code stops highlighting long ones and does not sync huge ones. */
const limit = 1_000_000;

/** A part with an output below its heading. A very long output is cut, and the document says so. */
export function outputPart(id: string, heading: readonly string[], output: string, level: number): Part {
  const above = heading.length === 0 ? [] : [...heading, ""];
  if (output.trim() === "") return { id, lines: [...above, `*${l10n.t("empty output")}*`] };
  if (output.length <= limit) return { id, lines: [...above, ...outputLines(output, level)] };
  const cut = l10n.t("*Only the first {0} of {1} characters are shown. “Copy Output” copies all of it.*", limit, output.length);
  return { id, lines: [...above, ...outputLines(output.slice(0, limit), level), "", cut] };
}
