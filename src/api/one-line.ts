/** Characters of a text that are looked at: more of it is in no line. */
const searched = 10_000;
/** Characters of a task's, an agent's or an input's name inside a line of ours. */
const longestName = 80;

/**
 * Text of others as one line of at most `longest` characters, for a label, a message or an error. Control characters and marks that
 * turn the direction of text have no place in it.
 */
export function oneLine(text: string, longest = searched): string {
  const line = text
    .slice(0, searched)
    .replace(/(?!\u200d)\p{Cf}/gu, "") // A zero-width joiner stays: it holds emoji together.
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  const characters = Array.from(line);
  return characters.length <= longest
    ? line
    : `${characters
        .slice(0, longest - 1)
        .join("")
        .trimEnd()}…`;
}

/** A name of others, such as a task's ID, inside a line of ours. What is sent back is the name itself. */
export function shortName(name: string): string {
  return oneLine(name, longestName);
}

/** Whether a text has no half of a character (a lone surrogate), which no address and no header can carry. */
export function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text);
}
