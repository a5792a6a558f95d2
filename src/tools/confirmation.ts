import { oneLine } from "../executions/title.ts";
import { fencedLines, inlineText } from "../views/document/markdown.ts";
import { shortened, visible } from "./shorten.ts";

/** A sentence of ours, in which names of others may stand, or a text of others word for word under a heading of ours. */
export type ConfirmationPart = string | { readonly heading: string; readonly text: string };

/** What a person must allow before a tool sends anything. It holds all that is sent: what is allowed is what was shown. */
export interface Confirmation {
  /** One line, in which nothing of others stands but names. */
  readonly title: string;
  readonly parts: readonly ConfirmationPart[];
  /** The button that allows it. */
  readonly allow: string;
}

/** How many characters of one text are shown: the chat scrolls, a dialog grows out of the window. */
const longest = { chat: 10_000, dialog: 600 };

/** A confirmation for the chat, as Markdown in which no text of others is read as Markdown. */
export function markdownOf({ parts }: Confirmation): string {
  const blocks = parts.map((part) =>
    typeof part === "string" ? inlineText(oneLine(part)) : [inlineText(oneLine(part.heading)), "", ...fencedLines(shortened(visible(part.text), longest.chat), "text")].join("\n"),
  );
  return blocks.join("\n\n");
}

/** A confirmation for a dialog, as plain text. */
export function plainOf({ parts }: Confirmation): string {
  return parts.map((part) => (typeof part === "string" ? oneLine(part) : `${oneLine(part.heading)}\n${shortened(visible(part.text), longest.dialog)}`)).join("\n\n");
}
