import path from "node:path";
import { parseEnv } from "node:util";
import { readText } from "../../projects/files.ts";

type Variables = readonly (readonly [name: string, value: string])[];

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
  const values = new Map([...read, ...lines]);
  const named = (name: string) => values.get(name) ?? process.env[name] ?? "";
  const expanded = [...read, ...lines].map(
    ([name, value]) =>
      [name, value.replace(/\$\{([^${}]*)\}/g, (_, inner: string) => named(inner))] as const,
  );
  return [...read, ...lines, ...expanded];
}
