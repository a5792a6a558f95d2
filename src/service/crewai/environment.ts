import path from "node:path";
import { parseEnv } from "node:util";
import { readText } from "../../projects/reading.ts";

type Variables = readonly (readonly [name: string, value: string])[];

/** How many values are expanded, and to how much. With references, a file of some kilobytes would have values of gigabytes. */
const most = { variables: 1_000, characters: 10_000 };

const assignment = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=(.*)$/gm;

/**
 * The variables that worker.py reads for a project: from its `.env`, and from the one that crewAI finds above itself. For hiding
 * them: a name may have several values, and a file that can't be read has none to hide.
 */
export async function variablesOf(folder: string, python: string): Promise<Variables> {
  const own = (await variablesIn(folder)) ?? [];
  for (let above = path.dirname(python); ; above = path.dirname(above)) {
    const found = await variablesIn(above);
    if (found !== undefined || above === path.dirname(above)) return [...own, ...(found ?? [])];
  }
}

/** Undefined without a file that can be read. */
async function variablesIn(folder: string): Promise<Variables | undefined> {
  return await readText(folder, ".env").then(
    ({ text }) => variablesOfText(text),
    () => undefined,
  );
}

/** As Node and as python-dotenv read them: for that, `#` begins a comment only after a space, and `${NAME}` is replaced. */
export function variablesOfText(text: string): Variables {
  const read = Object.entries(parseEnv(text)).map(([name, value = ""]) => [name, value] as const);
  const lines = [...text.matchAll(assignment)].map(
    ([, name = "", value = ""]) => [name, value.replace(/[ \t]#.*/, "").trim()] as const,
  );
  const all = [...read, ...lines];
  const values = new Map(all);
  const named = (name: string) => values.get(name) ?? process.env[name] ?? "";
  const first = [read, lines].flatMap((each) => each.slice(0, most.variables));
  return [...all, ...first.map(([name, value]) => [name, expanded(value, named)] as const)];
}

/** As it is if it would be too long: what it names is hidden anyway. */
function expanded(value: string, named: (name: string) => string): string {
  // Every second part is a name.
  const parts = value
    .split(/\$\{([^${}]*)\}/)
    .map((part, index) => (index % 2 === 0 ? part : named(part)));
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return length > most.characters ? value : parts.join("");
}
