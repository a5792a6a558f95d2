import * as l10n from "@vscode/l10n";
import { isRehearsalOutput } from "../../executions/model.ts";
import { outputContent, type OutputContent } from "./content.ts";
import { cleanText, withoutCommands } from "./markdown.ts";
import { assemble, singleSection, type Rendered } from "./sections.ts";

/** One output as an editor shows it, in a document or in a file: as it came, but for links that would run a command. JSON is laid out. */
export function shownOutput(output: string): OutputContent {
  const { extension, text } = outputContent(output);
  // Two attempts are compared: a line must not depend on whether others follow it. So blanks at the end of the last one stay, too.
  const whole = cleanText(text).replace(/(?:\n[ \t]*)+$/, "");
  const shown = `${isRehearsalOutput(output) ? whole.replace(/(\S)[ \t]*$/gm, "$1  ") : whole}\n`;
  // Nothing in a JSON document becomes such a link.
  return { extension, text: extension === "md" ? withoutCommands(shown) : shown };
}

/** One output as a document of its own. */
export function renderOutput(output: string): Rendered {
  return singleSection("output", shownOutput(output).text);
}

/** The document of an output that is not there: its execution was asked for it under another address, or is followed anew. */
export function renderMissingOutput(): Rendered {
  return assemble([{ id: "output", lines: [l10n.t("The crew has not told this output.")] }]);
}
