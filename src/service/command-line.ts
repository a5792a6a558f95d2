import { parseArgs, type ParseArgsConfig } from "node:util";
import leven from "leven";
import { Refusal } from "./errors.ts";

interface CommandLine extends ParseArgsConfig {
  readonly args: string[];
  readonly options: NonNullable<ParseArgsConfig["options"]>;
}

/** What a person typed after a command. @throws {Refusal} in one line, which names the wrong option and the nearest right one */
export function parseCommandLine<T extends CommandLine>(
  command: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs<T>(config);
  } catch (error) {
    throw refuseOption(command, problemIn(command, config) ?? String(error));
  }
}

/** A problem with a command's options, and where they are described. */
export function refuseOption(command: string, problem: string): Refusal {
  return new Refusal("options", `${problem} See "crewdeck ${command} --help".`);
}

/** What to add to a problem with a word: the word that was probably meant. Empty if none is like it. */
export function suggestion(typed: string, words: readonly string[], mark = ""): string {
  const word = typed.toLowerCase();
  const [nearest] = words
    .map((each) => ({ each, distance: leven(word, each.toLowerCase()) }))
    .filter(({ each, distance }) => distance <= Math.ceil(each.length / 3))
    .toSorted((one, other) => one.distance - other.distance);
  return nearest === undefined ? "" : ` Did you mean ${mark}${nearest.each}?`;
}

/** Never has an option's value, which may be a secret. */
function problemIn(
  command: string,
  { args, options, allowPositionals = false }: CommandLine,
): string | undefined {
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === "positional" && !allowPositionals)
      return `crewdeck ${command} takes only options, not "${token.value}".`;
    if (token.kind !== "option") continue;
    // Of "-port", the first token is "-p".
    const [written = token.rawName] = (args[token.index] ?? "").split("=", 1);
    const option = options[token.name];
    if (option === undefined)
      return `There is no option ${written}.${suggestion(written.replace(/^-+/, ""), Object.keys(options), "--")}`;
    if (option.type === "boolean" && token.value !== undefined) return `${written} takes no value.`;
    if (option.type === "string" && token.inlineValue !== true && /^(-.|$)/.test(token.value ?? ""))
      return `${written} needs a value: write ${written}=VALUE.`;
  }
  return undefined;
}
