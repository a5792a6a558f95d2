/** A quote, or a list item whose content begins that many columns further in; `empty` while nothing has come in it. */
type Container =
  | { readonly kind: "quote" }
  | { readonly kind: "item"; readonly width: number; readonly empty: boolean };

/** A line of Markdown without the marks of the quotes and list items it stands in. */
interface Place {
  /** Those marks, indentation included. */
  readonly prefix: string;
  readonly text: string;
  /** Whether the line is in everything that the line before was in. */
  readonly kept: boolean;
  /** Whether the line begins a quote or a list item. */
  readonly begins: boolean;
}

/** The quotes and list items around a line, as CommonMark 0.31 tells them (section "Container blocks"). */
export class Nesting {
  #open: readonly Container[] = [];
  #next: readonly Container[] = [];

  get isOutermost(): boolean {
    return this.#open.length === 0;
  }

  /** What is left of a line in the open containers; undefined where the line leaves one. */
  inside(line: string): string | undefined {
    const { rest, kept } = this.#follow(line);
    return kept.length === this.#open.length ? rest : undefined;
  }

  /**
   * Reads a line's place. It counts for the lines after it once `settle` is called: a line that lazily goes on with a
   * paragraph closes nothing.
   */
  read(line: string, afterParagraph: boolean): Place {
    const { rest, kept } = this.#follow(line);
    const all = kept.length === this.#open.length;
    const blank = rest.trim() === "";
    // An item may begin with one blank line, not with two.
    const next = kept
      .filter((one) => !(blank && one.kind === "item" && one.empty))
      .map((one) => (one.kind === "item" ? { ...one, empty: false } : one));
    const before = next.length;
    let text = rest;
    for (;;) {
      const begun = next.length > before;
      const mark = /^ {0,3}> ?/.exec(text)?.[0] ?? listMark(text, afterParagraph && all && !begun);
      if (mark === undefined) break;
      // The content of an item that begins empty stands one column after the mark (CommonMark, "List items", rule 3).
      text = text.slice(mark.length);
      const width = Math.max(mark.length, mark.trimEnd().length + 1);
      next.push(
        mark.includes(">") ? { kind: "quote" } : { kind: "item", width, empty: text.trim() === "" },
      );
    }
    this.#next = next;
    return {
      prefix: line.slice(0, line.length - text.length),
      text,
      kept: all,
      begins: next.length > before,
    };
  }

  /** Makes the place that was read last the place from which the next line goes on. */
  settle(): void {
    this.#open = this.#next;
  }

  #follow(line: string): { rest: string; kept: readonly Container[] } {
    let rest = line;
    const kept: Container[] = [];
    for (const container of this.#open) {
      const lead =
        container.kind === "quote"
          ? /^ {0,3}> ?/.exec(rest)?.[0].length
          : itemLead(rest, container.width);
      if (lead === undefined) break;
      rest = rest.slice(lead);
      kept.push(container);
    }
    return { rest, kept };
  }
}

/** How much of the line is the item's indentation; a blank line belongs to the item, too. */
function itemLead(rest: string, width: number): number | undefined {
  if (rest.trim() === "") return 0;
  return rest.startsWith(" ".repeat(width)) ? width : undefined;
}

/**
 * A list mark with the blanks that belong to it. A rule is none; a paragraph is not interrupted by an empty item (`-` under
 * it underlines it) or by a number other than 1.
 */
function listMark(text: string, interrupts: boolean): string | undefined {
  if (/^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,})$/.test(text)) return undefined;
  if (interrupts && !/^ {0,3}(?:[-+*]|1[.)])[ \t]+\S/.test(text)) return undefined;
  return /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?=\s*$| {1,4}(?! )| (?= {4}))(?: (?=\s*$)| {1,4}(?=\S)| (?= {4})|(?=$))/.exec(
    text,
  )?.[0];
}
