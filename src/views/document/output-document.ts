import * as l10n from "@vscode/l10n";
import { outputContent } from "./content.ts";
import { readableText } from "./embed.ts";
import { cleanText, withoutCommands } from "./markdown.ts";
import { assemble, type Rendered } from "./sections.ts";

/** One output as a document of its own: as it came, but for links that would run a command. JSON is laid out. */
export function renderOutput(output: string): Rendered {
  const { extension, text } = outputContent(output);
  const lines = readableText(cleanText(text)).trimEnd().split("\n");
  // Nothing in a JSON document becomes such a link.
  return assemble([{ id: "output", lines: extension === "md" ? lines.map(withoutCommands) : lines }]);
}

/** The document of an output that is not there: its execution was asked for it under another address, or is followed anew. */
export function renderMissingOutput(): Rendered {
  return assemble([{ id: "output", lines: [l10n.t("The crew has not told this output.")] }]);
}
