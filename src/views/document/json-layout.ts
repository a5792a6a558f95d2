/** A text, a bracket, a comma or colon, or a number or word of JSON. */
const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Valid JSON laid out over lines, two blanks a level, as `JSON.stringify` does it. Every value stays as it was written: big
 * numbers, escapes and repeated names, which reading and writing it anew would change.
 */
export function layOutJson(json: string): string {
  const parts: string[] = [];
  let level = 0;
  let before = "";
  const newLine = () => `\n${"  ".repeat(level)}`;
  for (const [part] of json.matchAll(token)) {
    const opened = before === "{" || before === "[";
    if (part === "}" || part === "]") {
      level--;
      parts.push(opened ? "" : newLine(), part);
    } else {
      if (opened || before === ",") parts.push(newLine());
      parts.push(part === ":" ? ": " : part);
      if (part === "{" || part === "[") level++;
    }
    before = part;
  }
  return parts.join("");
}
