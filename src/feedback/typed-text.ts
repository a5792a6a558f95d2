/**
 * Text that is being sent, and what is typed meanwhile: VS Code empties a thread's box at each press of one of its buttons, and
 * once more when the first command has ended.
 */
export class TextBeingSent {
  readonly #sent: string;
  #all: string;

  constructor(sent: string) {
    this.#sent = sent;
    this.#all = sent;
  }

  /** All that was written, with what is in the box now. */
  with(inBox: string): string {
    return joined(this.#all, inBox);
  }

  /** A button was pressed again, which passes the text of the box and empties it. */
  add(text: string): void {
    this.#all = this.with(text);
  }

  /** What was written besides the text that was sent. */
  beyond(inBox: string): string {
    const all = plain(this.with(inBox));
    const sent = plain(this.#sent).trimEnd();
    return all.startsWith(sent) ? all.slice(sent.length).trim() : all;
  }
}

/** A text and what is in the box now: the same with more behind it, nothing, or another text, which is added below. */
export function joined(text: string, inBox: string): string {
  if (inBox.trim() === "") return text;
  if (plain(inBox).startsWith(plain(text).trimEnd())) return inBox;
  return `${text.trimEnd()}\n\n${inBox}`;
}

/** VS Code may change the line endings in a box to those of the machine. */
function plain(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
