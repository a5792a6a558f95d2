/** VS Code empties a thread's box at each press of a button, and when the first command ends. */
export class TextBeingSent {
  readonly #sent: string;
  #all: string;

  constructor(sent: string) {
    this.#sent = sent;
    this.#all = sent;
  }

  /** All text, including what is in the box now. */
  with(inBox: string): string {
    return joined(this.#all, inBox);
  }

  /** A button was pressed again, which passes and empties the box's text. */
  add(text: string): void {
    this.#all = this.with(text);
  }

  /** What was typed besides the sent text. */
  beyond(inBox: string): string {
    const all = plain(this.with(inBox));
    const sent = plain(this.#sent).trimEnd();
    return all.startsWith(sent) ? all.slice(sent.length).trim() : all;
  }
}

/** Appends the box's text, unless it is empty or already begins with `text`. */
export function joined(text: string, inBox: string): string {
  if (inBox.trim() === "") return text;
  if (plain(inBox).startsWith(plain(text).trimEnd())) return inBox;
  return `${text.trimEnd()}\n\n${inBox}`;
}

/** VS Code may change the line endings in a box. */
function plain(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
