import * as l10n from "@vscode/l10n";
import { outputContent } from "./content.ts";
import { isRehearsalOutput } from "../words.ts";
import { cleanText, withoutCommands } from "./markdown.ts";
import { assemble, type Rendered } from "./sections.ts";

/** One output as a document of its own: as it came, but for links that would run a command. JSON is laid out. */
export function renderOutput(output: string): Rendered {
  const { extension, text } = outputContent(output);
  // Two attempts are compared: a line must not depend on whether others follow it. So blanks at the end of the last one stay, too.
  const whole = cleanText(text).replace(/(?:\n[ \t]*)+$/, "");
  const lines = (isRehearsalOutput(output) ? whole.replace(/(\S)[ \t]*$/gm, "$1  ") : whole).split("\n");
  // Nothing in a JSON document becomes such a link.
  return assemble([{ id: "output", lines: extension === "md" ? lines.map(withoutCommands) : lines }]);
}

/** The document of an output that is not there: its execution was asked for it under another address, or is followed anew. */
export function renderMissingOutput(): Rendered {
  return assemble([{ id: "output", lines: [l10n.t("The crew has not told this output.")] }]);
}
