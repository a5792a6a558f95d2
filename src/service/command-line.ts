import { parseArgs } from "node:util";
import leven from "leven";
import { messageOf, Refusal } from "./errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** An option of a command. In a table of options, `maxProcesses` is `--max-processes`. */
export interface Option<T> {
  /** Stands for its value in the help. Without it, the option takes none. */
  readonly value?: string;
  readonly help: string;
  /** The environment variable that counts if the option isn't given. */
  readonly variable?: string;
  /**
   * @param name for errors @param all the values of an option that is given several times
   * @throws Error that names the option, and has no secret
   */
  readonly read: (text: string, name: string, all: readonly string[]) => T;
}

type Options = Readonly<Record<string, Option<unknown>>>;

/** An option that isn't given is undefined. */
type Given<O extends Options> = {
  readonly [K in keyof O]: ReturnType<O[K]["read"]> | undefined;
};

/** What a person typed after a command. @throws {Refusal} in one line, which names the wrong option and the nearest right one */
export function readCommandLine<O extends Options>(
  command: string,
  options: O,
  argv: readonly string[],
  env: Environment,
): { readonly words: readonly string[]; readonly given: Given<O> } {
  const named = new Map(Object.entries(options).map(([member, each]) => [nameOf(member), each]));
  const words: string[] = [];
  const texts = new Map<string, string[]>();
  const types = [...named].map(
    ([name, { value }]) => [name, { type: value === undefined ? "boolean" : "string" }] as const,
  );
  const config = { args: [...argv], options: Object.fromEntries(types) };
  for (const token of parseArgs({ ...config, strict: false, tokens: true }).tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    // Of "-port", the first token is "-p". A value may be a secret.
    const [written = token.rawName] = (argv[token.index] ?? "").split("=", 1);
    const option = named.get(token.name);
    const { value, inlineValue } = token;
    if (option === undefined)
      throw refuseOption(
        command,
        `There is no option ${written}.${suggestion(written.replace(/^-+/, ""), [...named.keys()], "--")}`,
      );
    if (option.value === undefined && value !== undefined)
      throw refuseOption(command, `${written} takes no value.`);
    if (option.value !== undefined && inlineValue !== true && /^(-.|$)/.test(value ?? ""))
      throw refuseOption(command, `${written} needs a value: write ${written}=VALUE.`);
    texts.set(token.name, [...(texts.get(token.name) ?? []), value ?? ""]);
  }
  const read = ([member, { variable, read: reader }]: readonly [string, Option<unknown>]) => {
    const name = nameOf(member);
    const fallback = variable === undefined ? undefined : env[variable] || undefined;
    const all = texts.get(name) ?? (fallback === undefined ? [] : [fallback]);
    const label = variable === undefined ? `--${name}` : `--${name} (or ${variable})`;
    try {
      return [member, all.length === 0 ? undefined : reader(all.at(-1) ?? "", label, all)];
    } catch (error) {
      throw refuseOption(command, messageOf(error));
    }
  };
  return { words, given: Object.fromEntries(Object.entries(options).map(read)) as Given<O> };
}

/** The lines of a help that describe these options. */
export function helpOf(options: Options): string {
  const indent = `\n${" ".repeat(25)}`;
  const lines = Object.entries(options).map(([member, { value, help }]) => {
    const head = `  --${nameOf(member)}${value === undefined ? "" : ` ${value}`}`;
    const text = wrapped(help).join(indent);
    return head.length < 25 ? head.padEnd(25) + text : head + indent + text;
  });
  return lines.join("\n");
}

function wrapped(text: string): readonly string[] {
  return text.split(" ").reduce<readonly string[]>((lines, word) => {
    const longer = `${lines.at(-1) ?? ""} ${word}`.trim();
    return longer.length > 92 ? [...lines, word] : [...lines.slice(0, -1), longer];
  }, []);
}

function nameOf(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** A problem with a command's options, and where they are described. */
export function refuseOption(command: string, problem: string): Refusal {
  return new Refusal("options", `${problem} See "crewdeck ${command} --help".`);
}

/** @throws {Refusal} for a word after a command that takes only options */
export function refuseWords(command: string, [word]: readonly string[]): void {
  if (word !== undefined)
    throw refuseOption(command, `crewdeck ${command} takes only options, not "${word}".`);
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

export function flag(help: string): Option<true> {
  return { help, read: () => true };
}

export function text(value: string, help: string, variable?: string): Option<string> {
  return { value, help, ...(variable !== undefined && { variable }), read: (given) => given };
}

const oneOf = new Intl.ListFormat("en-GB", { type: "disjunction" });

export function choice<T extends string>(choices: readonly T[], help: string): Option<T> {
  return {
    value: choices.join("|"),
    help,
    read(given, name) {
      const found = choices.find((one) => one === given);
      if (found !== undefined) return found;
      const expected = oneOf.format(choices.map((one) => JSON.stringify(one)));
      throw new Error(`${name} ${given}: expected ${expected}.`);
    },
  };
}

export function wholeNumber(least: number, most: number, help: string): Option<number> {
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
  return {
    value: "N",
    help,
    read(given, name) {
      const value = Number(given);
      if (/^\d+$/.test(given) && value >= least && value <= most) return value;
      throw new Error(`${name} ${given}: expected a whole number ${range}.`);
    },
  };
}

export function portNumber(help: string): Option<number> {
  return {
    value: "N",
    help,
    read(given, name) {
      if (/^\d+$/.test(given) && Number(given) <= 65_535) return Number(given);
      throw new Error(
        `${name} ${given}: expected a number from 0 to 65535; 0 takes any free port.`,
      );
    },
  };
}

/** How many seconds a timer can wait. With more, it doesn't wait at all. */
const mostSeconds = 2_147_483;

export function seconds(help: string): Option<number> {
  return {
    value: "S",
    help,
    read(given, name) {
      const value = Number(given);
      if (given.trim() !== "" && value >= 0 && value <= mostSeconds) return value;
      throw new Error(`${name} ${given}: expected a number from 0 to ${mostSeconds}.`);
    },
  };
}
