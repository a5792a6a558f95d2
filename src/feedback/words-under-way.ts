/**
 * Words that are being sent, and what is typed on meanwhile: VS Code empties a thread's box at each press of one of its buttons, and
 * once more when the first command has ended.
 */
export class WordsUnderWay {
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

  /** A button was pressed again, which hands over what was in the box and empties it. */
  add(handedOver: string): void {
    this.#all = this.with(handedOver);
  }

  /** What was written beside the words that were sent; empty where nothing was. */
  beyond(inBox: string): string {
    const all = plain(this.with(inBox));
    const sent = plain(this.#sent).trimEnd();
    return all.startsWith(sent) ? all.slice(sent.length).trim() : all;
  }
}

/** Words and what stands in the box now: the same with more behind them, nothing, or other words, which stand below them then. */
export function joined(words: string, inBox: string): string {
  if (inBox.trim() === "") return words;
  if (plain(inBox).startsWith(plain(words).trimEnd())) return inBox;
  return `${words.trimEnd()}\n\n${inBox}`;
}

/** VS Code may break the lines of a box in the way of the machine. */
function plain(words: string): string {
  return words.replaceAll("\r\n", "\n");
}
