/**
 * A mark in braces that stands for an input: a letter or underscore, then letters, digits, spaces, `_`, `-` and `.`.
 *
 * crewAI itself replaces only names of ASCII letters, digits, `_` and `-` (`interpolate_only`, 1.15), older versions any
 * name, and a deployed crew asks for everything between two braces (`Crew.fetch_inputs`). Names with spaces or other
 * letters are therefore asked for and filled; JSON and code in braces (`{"a": 1}`, `{2}`, `{}`) are left alone.
 */
const placeholder = /\{([\p{L}_][\p{L}\p{M}\p{N}_ .-]*)\}/gu;

/** Names of the `{placeholders}` in some texts, in order of first appearance, each once. */
export function placeholders(texts: Iterable<string>): string[] {
  const names = new Set<string>();
  for (const text of texts) {
    for (const [, name] of text.matchAll(placeholder)) if (name !== undefined) names.add(name);
  }
  return [...names];
}

/**
 * The text with each `{placeholder}` replaced by the input of that name. A value that is not text is written as JSON.
 * A placeholder without an input stays as it is; a value is never searched for placeholders again.
 */
export function fill(text: string, inputs: Readonly<Record<string, unknown>>): string {
  return text.replace(placeholder, (mark, name: string) => {
    const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (value === undefined) return mark;
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}
