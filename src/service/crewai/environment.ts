import path from "node:path";
import { parseEnv } from "node:util";
import { readText } from "../../projects/files.ts";

/**
 * The variables that worker.py reads for a project: from its `.env`, and from the one that crewAI
 * finds above itself. For hiding them: a file that can't be read has none to hide.
 */
export async function variablesOf(
  folder: string,
  python: string,
): Promise<Readonly<Record<string, string | undefined>>> {
  const own = await variablesIn(folder);
  for (let above = path.dirname(python); ; above = path.dirname(above)) {
    const found = await variablesIn(above);
    if (found !== undefined || above === path.dirname(above)) return { ...found, ...own };
  }
}

/** Undefined without a file that can be read. */
async function variablesIn(folder: string): Promise<NodeJS.Dict<string> | undefined> {
  return await readText(folder, ".env").then(
    ({ text }) => parseEnv(text),
    () => undefined,
  );
}
