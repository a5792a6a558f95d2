import { definitionBelow, indentOf, withoutInert } from "./python-text.ts";

/** A method of a `@CrewBase` class, found without a Python parser. */
export interface CrewMethod {
  readonly kind: "agent" | "task" | "crew";
  readonly name: string;
  /** What it takes from `agents_config` or `tasks_config`. */
  readonly config?: string;
  /** Of the decorator, from 1. */
  readonly line: number;
  readonly column: number;
}

const decorator = /^([ \t]*)@(?:[\w.]+\.)?(CrewBase|agent|task|crew)\b/;

/** The methods that crewAI calls to build the crew, in the order of the file. */
export function crewMethods(text: string): CrewMethod[] {
  const source = text.split(/\r?\n/);
  const code = withoutInert(text).split(/\r?\n/);
  const found: CrewMethod[] = [];
  /** The class that the lines belong to. */
  let owner: { readonly line: number; readonly indent: number } | undefined;
  code.forEach((line, index) => {
    const indent = indentOf(line);
    if (line.trim() === "") return;
    // A bracket may close the class's list of bases.
    if (owner && index > owner.line && indent <= owner.indent && !/^\s*[)\]}]/.test(line))
      owner = undefined;
    const kind = decorator.exec(line)?.[2];
    if (kind === undefined) return;
    const below = definitionBelow(code, index);
    if (below === undefined) return;
    if (kind === "CrewBase") {
      if (below.isClass) owner = { line: below.index, indent };
      return;
    }
    if (!isKind(kind) || below.isClass || owner === undefined) return;
    const end = code.findIndex(
      (each, at) => at > below.index && each.trim() !== "" && indentOf(each) <= indent,
    );
    const body = source.slice(below.index, end < 0 ? undefined : end).join("\n");
    const config = /\b(?:agents|tasks)_config\s*\[\s*["']([^"'\n]+)["']\s*\]/.exec(body)?.[1];
    found.push({
      kind,
      name: below.name,
      ...(config !== undefined && { config }),
      line: index + 1,
      column: indent + 1,
    });
  });
  return found;
}

function isKind(word: string): word is CrewMethod["kind"] {
  return word === "agent" || word === "task" || word === "crew";
}
