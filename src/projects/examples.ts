import path from "node:path";
import { type JsonValue, parseJson } from "../base/json.ts";
import { withoutInert } from "./python-source.ts";
import { Reading } from "./reading.ts";

/** What a project gives an input, by name and in its order; undefined where only Python knows it. */
export type Examples = ReadonlyMap<string, JsonValue | undefined>;

const kickoff = /\bkickoff(?:_async)?\(\s*inputs\s*=\s*(?:(\w+)|(?=\{))/;

const dictionary = /^[ \t]*(\w+)\s*(?::[^=\n]*)?=\s*(?=\{)/gm;

const token =
  /#.*|[rRbBuU]?(?:("""|''')(?:\\[^]|(?!\1)[^])*(?:\1|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|[\w.]+|\S/g;
/** Without escapes, which only Python knows. */
const text = /^[rRbBuU]?("""|'''|"|')([^\\]*)\1$/;

/** Of the inputs that `main.py`, beside a crew or at the top, passes to its first kickoff. Nothing runs. @param entry the crew's file */
export async function readExamples(folder: string, entry: string): Promise<Examples> {
  const reading = new Reading(folder);
  const beside = path.posix.join(path.posix.dirname(entry), "main.py");
  return examplesIn((await reading.python(beside)) || (await reading.python("main.py")));
}

export function examplesIn(source: string): Examples {
  // The same places, without comments and strings.
  const code = withoutInert(source);
  const call = kickoff.exec(code);
  if (!call) return new Map();
  const [whole, name] = call;
  if (name === undefined) return membersAt(source, call.index + whole.length);
  const before = [...code.slice(0, call.index).matchAll(dictionary)];
  const last = before.findLast(([, variable]) => variable === name);
  return last ? membersAt(source, last.index + last[0].length) : new Map();
}

function membersAt(source: string, start: number): Examples {
  const members = new Map<string, JsonValue | undefined>();
  let depth = 0;
  let key: JsonValue | undefined;
  let part: string[] = [];
  for (const [found] of source.slice(start).matchAll(token)) {
    if (found.startsWith("#")) continue;
    if (/^[)\]}]$/.test(found)) depth -= 1;
    if (depth === 1 && found === ":") [key, part] = [valueOf(part), []];
    else if (depth === 0 || (depth === 1 && found === ",")) {
      if (typeof key === "string") members.set(key, valueOf(part));
      [key, part] = [undefined, []];
    } else part.push(found);
    if (/^[([{]$/.test(found)) depth += 1;
    if (depth === 0) break;
  }
  return members;
}

function valueOf(tokens: readonly string[]): JsonValue | undefined {
  // As `crewai create` writes it.
  if (/^str\((?:datetime\.)*now\(\)\.year\)$/.test(tokens.join("")))
    return String(new Date().getFullYear());
  const json = tokens.flatMap((each, index) => {
    const isLastComma = each === "," && /^[\]}]$/.test(tokens[index + 1] ?? "");
    return isLastComma ? [] : jsonOf(each);
  });
  return parseJson(json.join("")) as JsonValue | undefined;
}

function jsonOf(found: string): string {
  const words: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };
  const [, , content] = text.exec(found) ?? [];
  return content === undefined ? (words[found] ?? found) : JSON.stringify(content);
}
