/** Comments and strings, which may look like code. */
const inert =
  /#.*|("""|''')(?:\\[^]|(?!\1)[^])*(?:\1|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?/g;
/** Lines between a decorator and what it decorates; more would take long for a file made of decorators. */
const mostBetween = 50;

/** Python with spaces for comments and strings: same lines, same columns. */
export function withoutInert(text: string): string {
  return text.replace(inert, (part) => part.replace(/[^\r\n]/g, " "));
}

export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The `def` or `class` of a decorator, below other decorators. */
export function definitionBelow(code: readonly string[], decorated: number) {
  const indent = indentOf(code[decorated] ?? "");
  const end = Math.min(code.length, decorated + mostBetween);
  for (let index = decorated + 1; index < end; index += 1) {
    const line = code[index] ?? "";
    const [, keyword, name] = /^\s*(?:async\s+)?(def|class)\s+(\w+)/.exec(line) ?? [];
    if (keyword !== undefined && name !== undefined)
      return { index, name, isClass: keyword === "class" };
    const isBetween = line.trim() === "" || /^\s*[@)\]}]/.test(line) || indentOf(line) > indent;
    if (!isBetween) return undefined;
  }
  return undefined;
}

/** The lines that belong to a definition. */
export function bodyBelow(code: readonly string[], at: number): string[] {
  const indent = indentOf(code[at] ?? "");
  let end = at + 1;
  // A bracket may close the definition's own list.
  const isInside = (line: string) =>
    line.trim() === "" || indentOf(line) > indent || /^\s*[)\]}]/.test(line);
  while (end < code.length && isInside(code[end] ?? "")) end += 1;
  return code.slice(at + 1, end);
}
