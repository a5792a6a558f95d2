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
  return found.map((heading, at) => {
    const next = found.slice(at + 1).find(({ level }) => level <= heading.level)?.line;
    const inside = lines.slice(heading.line, next);
    const last = inside.findLastIndex((each) => each.trim() !== "");
    return { ...heading, end: heading.line + Math.max(0, last) };
  });
}

/** Without escapes. VS Code refuses an empty name. */
function plain(name: string): string {
  return name.replace(/\\([!-/:-@[-`{-~])/g, "$1").trim() || "#";
}
