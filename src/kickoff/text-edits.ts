import type { Span } from "./json-tree.ts";

/** A part of a text and what takes its place. */
export interface Edit {
  readonly at: Span;
  readonly text: string;
}

/** A text with some of its parts replaced; these must not overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((one, other) => other.at.start - one.at.start)
    .reduce((done, { at, text: put }) => done.slice(0, at.start) + put + done.slice(at.end), text);
}

/** Where a place in a text is after some parts of the text were cut out. */
export function placeAfterCuts(offset: number, cuts: readonly Span[]): number {
  return (
    offset -
    cuts.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(offset, end) - start), 0)
  );
}
