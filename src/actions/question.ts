import * as l10n from "@vscode/l10n";
import { oneLine, shortened, visible } from "../base/text.ts";

type QuestionPart =
  | string
  | { readonly list: readonly string[] }
  | { readonly heading: string; readonly text: string };

export interface Question {
  readonly title: string;
  readonly parts: readonly QuestionPart[];
  readonly allow: string;
}

/** A dialog would grow out of the window: its parts, lines of a list or text, characters of a text, characters of a sentence. */
const inDialog = { parts: 12, lines: 15, text: 600, sentence: 500 };

export function dialogOf({ parts }: Question) {
  let isWhole = parts.length <= inDialog.parts;
  const cut = (text: string, most: number) => {
    const short = shortened(text, most);
    isWhole &&= short === text;
    return short;
  };
  const sentence = (text: string) => oneLine(cut(text, inDialog.sentence));
  const blocks = parts.slice(0, inDialog.parts).map((part) => {
    if (typeof part === "string") return sentence(part);
    if ("list" in part) {
      const lines = part.list.slice(0, inDialog.lines).map(sentence);
      const more = part.list.length - lines.length;
      isWhole &&= more === 0;
      return [...lines, ...(more === 0 ? [] : [l10n.t("and {0} more", more)])].join("\n");
    }
    const lines = part.text.split("\n", inDialog.lines).join("\n");
    const short = cut(part.text, Math.min(inDialog.text, lines.length));
    return `${sentence(part.heading)}\n${visible(short)}`;
  });
  const left = parts.length - blocks.length;
  if (left > 0) blocks.push(l10n.t("({0} more parts, not shown)", left));
  return { text: blocks.join("\n\n"), isWhole };
}

/** Remote lines are indented, so that none looks like one of ours. */
export function documentOf({ title, parts }: Question): string {
  const blocks = parts.map((part) => {
    if (typeof part === "string") return oneLineWhole(part);
    if ("list" in part) return part.list.map(oneLineWhole).join("\n");
    const lines = visible(part.text).split("\n");
    return [oneLineWhole(part.heading), ...lines.map((line) => `    ${line}`)].join("\n");
  });
  return `${[title, ...blocks].join("\n\n")}\n`;
}

function oneLineWhole(text: string): string {
  return visible(text.replaceAll("\n", " "));
}
