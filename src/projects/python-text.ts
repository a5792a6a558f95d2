/** Comments and strings, which may look like code. */
const inert = /#.*|("""|''')(?:\\[^]|(?!\1)[^])*(?:\1|$)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;

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
  for (let index = decorated + 1; index < code.length; index += 1) {
    const line = code[index] ?? "";
    const [, keyword, name] = /^\s*(?:async\s+)?(def|class)\s+(\w+)/.exec(line) ?? [];
    if (keyword !== undefined && name !== undefined)
      return { index, name, isClass: keyword === "class" };
    const isBetween = line.trim() === "" || /^\s*[@)\]}]/.test(line) || indentOf(line) > indent;
    if (!isBetween) return undefined;
  }
  return undefined;
}
