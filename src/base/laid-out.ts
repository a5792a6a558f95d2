/** Characters that line breaks and indentation may add: for each of the text's own, and besides. */
const mostAdded = { each: 1, besides: 2_000 };
/** Characters of what stays as it is: nobody reads it, and each token takes time. */
const longest = 2_000_000;

/**
 * Valid JSON on several lines, with each value as it is written, such as big numbers, escapes and repeated names.
 * Inner levels whose indentation would make it far longer stay on one line: 1 MB of brackets would become 50 MB.
 */
export function laidOut(json: string): string {
  if (json.length > longest) return json;
  const addedAt = [0];
  let length = 0;
  eachToken(json, (token, level, indent) => {
    length += token.length;
    if (indent !== undefined) addedAt[level] = (addedAt[level] ?? 0) + 1 + 2 * indent;
  });
  let left = mostAdded.each * length + mostAdded.besides;
  const tooDeep = addedAt.findIndex((added) => (left -= added) < 0);
  const isLaidOut = (level: number) => tooDeep === -1 || level < tooDeep;
  const parts: string[] = [];
  eachToken(json, (token, level, indent) => {
    if (indent !== undefined && isLaidOut(level)) parts.push(`\n${"  ".repeat(indent)}`);
    parts.push(token === ":" && isLaidOut(level) ? ": " : token);
  });
  return parts.join("");
}

/**
 * @param use gets each bracket, comma, colon, string, number or word, with the level of the list or object that it is
 * in or ends, and with the indentation of the line that it begins
 */
function eachToken(
  json: string,
  use: (token: string, level: number, indent: number | undefined) => void,
): void {
  let level = 0;
  let before = "";
  for (let at = 0; at < json.length;) {
    const end = endOfToken(json, at);
    const token = json.slice(at, end);
    at = end;
    if (spaces.includes(token)) continue;
    const isInEmpty = before === "[" || before === "{";
    if (token === "]" || token === "}") {
      use(token, level, isInEmpty ? undefined : level - 1);
      level--;
    } else use(token, level, isInEmpty || before === "," ? level : undefined);
    if (token === "[" || token === "{") level++;
    before = token;
  }
}

const spaces = " \n\r\t";
const alone = `[]{},:${spaces}`;

function endOfToken(json: string, start: number): number {
  const first = json.charAt(start);
  let at = start + 1;
  if (first === '"') {
    while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
    return at + 1;
  }
  if (alone.includes(first)) return at;
  while (at < json.length && !alone.includes(json.charAt(at))) at++;
  return at;
}
