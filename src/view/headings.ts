/** Of a document, in which every heading starts its line and every code block is closed. */
interface Heading {
  readonly name: string;
  /** From 1. */
  readonly level: number;
  readonly line: number;
  /** The last line of what belongs to it, without blank ones. */
  readonly end: number;
}

export function headingsOf(text: string): readonly Heading[] {
  const lines = text.split("\n");
  const found: Omit<Heading, "end">[] = [];
  let fence: string | undefined;
  for (const [line, content] of lines.entries()) {
    const [, marks] = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(content) ?? [];
    if (fence === undefined) fence = marks;
    else if (marks?.startsWith(fence) === true && content.trim() === marks) fence = undefined;
    const [, hashes, name] = /^(#{1,6}) (.*)$/.exec(content) ?? [];
    if (fence === undefined && hashes !== undefined && name !== undefined)
      found.push({ name: plain(name), level: hashes.length, line });
  }
  let filled = -1;
  /** For each line, the last one up to it that isn't blank. */
  const lastFilled = lines.map((each, line) => (filled = each.trim() === "" ? filled : line));
  /** By level: the next heading from below. */
  const next = Array<number>(7).fill(lines.length);
  const ended = found.toReversed().map((heading) => {
    const { level, line } = heading;
    const last = lastFilled[Math.min(...next.slice(1, level + 1)) - 1] ?? line;
    next[level] = line;
    return { ...heading, end: Math.max(line, last) };
  });
  return ended.reverse();
}

/** Without escapes. VS Code refuses an empty name. */
function plain(name: string): string {
  return name.replace(/\\([!-/:-@[-`{-~])/g, "$1").trim() || "#";
}
