import * as l10n from "@vscode/l10n";

/** A part of a text, and where it goes on. */
export interface Piece {
  readonly text: string;
  /** Where the next piece begins, in UTF-16 units; absent at the end. */
  readonly next?: number;
}

/** A text's piece from `offset` (UTF-16 units) on, at most `longest` of them and one more where it would cut a character in two. */
export function pieceOf(text: string, offset: number, longest: number): Piece {
  const end = endOf(text, offset + longest);
  return { text: text.slice(offset, end), ...(end < text.length ? { next: end } : {}) };
}

/** A text, or its beginning with the number of characters that are not shown. */
export function shortened(text: string, longest: number): string {
  const { text: beginning, next } = pieceOf(text, 0, longest);
  return next === undefined
    ? text
    : `${beginning} … ${l10n.t("({0} more characters, not shown)", text.length - next)}`;
}

/** Others' text as it is, with every character that could hide or turn something around shown as an escape. */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cf}\p{Co}\u2028\u2029]|(?![\n\t])\p{Cc}/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

function endOf(text: string, end: number): number {
  const isHalf = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  return Math.min(text.length, isHalf ? end + 1 : end);
}
