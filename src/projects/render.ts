/**
 * An input's name in braces: a letter or underscore, then letters, digits, spaces, `_`, `-` and `.`.
 *
 * crewAI replaces only names of ASCII letters, digits, `_` and `-` (`interpolate_only`, 1.15), older versions any name,
 * and a deployed crew lists everything between two braces (`Crew.fetch_inputs`). Therefore names with spaces and other
 * letters count, but JSON and code in braces (`{"a": 1}`, `{2}`, `{}`) don't.
 */
const placeholder = /\{([\p{L}_][\p{L}\p{M}\p{N}_ .-]*)\}/gu;

/** Names of the `{placeholders}`, each once, in order of first appearance. */
export function placeholders(texts: Iterable<string>): string[] {
  const names = new Set<string>();
  for (const text of texts)
    for (const [, name] of text.matchAll(placeholder)) if (name !== undefined) names.add(name);
  return [...names];
}

/**
 * Replaces each `{placeholder}` with the input of that name; a value that isn't text is written as JSON.
 * A placeholder without an input stays. Placeholders in values aren't replaced.
 */
export function fill(text: string, inputs: Readonly<Record<string, unknown>>): string {
  return text.replace(placeholder, (mark, name: string) => {
    const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (value === undefined) return mark;
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}
