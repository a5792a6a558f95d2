import { parseArgs } from "node:util";
import { messageOf, Refusal } from "./errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** An option of a command. In a table of options, `maxProcesses` is `--max-processes`. */
export interface Option<T> {
  /** Stands for its value in the help. Without it, the option takes none. */
  readonly value?: string;
  readonly help: string;
  /** The environment variable that counts if the option isn't given. */
  readonly variable?: string;
  readonly expected?: string;
  /**
   * Undefined for a value that isn't as expected.
   * @param all the values of an option that is given several times
   */
  readonly read: (last: string, all: readonly string[]) => T | undefined;
}

type Options = Readonly<Record<string, Option<unknown>>>;

type Given<O extends Options> = {
  readonly [K in keyof O]: ReturnType<O[K]["read"]> | undefined;
};

/** What a person typed after a command. @throws {Refusal} which names the wrong option, but not its value: it may be a secret */
export function readCommandLine<O extends Options>(
  command: string,
  options: O,
  argv: readonly string[],
  env: Environment,
  takesWords = true,
): { readonly words: readonly string[]; readonly given: Given<O> } {
  const { values, positionals: words } = parse(command, options, argv, takesWords);
  const given = Object.entries(options).map(([member, { variable, expected = "", read }]) => {
    const name = nameOf(member);
    const fallback = variable === undefined ? undefined : env[variable];
    const texts = values[name]?.map(String) ?? (fallback ? [fallback] : []);
    const [last] = texts.slice(-1);
    if (last === undefined) return [member, undefined];
    const value = read(last, texts);
    if (value !== undefined) return [member, value];
    const other = variable === undefined ? "" : ` (or ${variable})`;
    throw refuseOption(command, `--${name}${other}: expected ${expected}.`);
  });
  return { words, given: Object.fromEntries(given) as Given<O> };
}

function parse(
  command: string,
  options: Options,
  argv: readonly string[],
  allowPositionals: boolean,
) {
  const types = Object.entries(options).map(([member, { value }]) => [
    nameOf(member),
    { type: value === undefined ? "boolean" : "string", multiple: true },
  ]);
  const config = Object.fromEntries(types) as Record<
    string,
    { readonly type: "boolean" | "string"; readonly multiple: true }
  >;
  try {
    return parseArgs({ args: [...argv], options: config, allowPositionals });
  } catch (error) {
    // The sentences after the first don't fit.
    throw refuseOption(command, `${messageOf(error).split(/\.\s/, 1)[0]}.`);
  }
}

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

export function nameOf(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export function refuseOption(command: string, problem: string): Refusal {
  return new Refusal("options", `${problem} See "crewdeck ${command} --help".`);
}

export function flag(help: string): Option<true> {
  return { help, read: () => true };
}

export function text(
  value: string,
  help: string,
  more: Pick<Option<string>, "variable" | "expected"> = {},
  fits: (given: string) => boolean = () => true,
): Option<string> {
  return { value, help, ...more, read: (given) => (fits(given) ? given : undefined) };
}

export function choice<T extends string>(choices: readonly T[], help: string): Option<T> {
  const words = choices.map((one) => JSON.stringify(one));
  return {
    value: choices.join("|"),
    help,
    expected: `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`,
    read: (given) => choices.find((one) => one === given),
  };
}

export function wholeNumber(least: number, most: number, help: string): Option<number> {
  return {
    value: "N",
    help,
    expected: `a whole number ${most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`}`,
    read(given) {
      const value = Number(given);
      return /^\d+$/.test(given) && value >= least && value <= most ? value : undefined;
    },
  };
}

export function portNumber(help: string): Option<number> {
  return wholeNumber(0, 65_535, help);
}

/** How many seconds a timer can wait. With more, it doesn't wait at all. */
const mostSeconds = 2_147_483;

export function seconds(help: string): Option<number> {
  return {
    value: "S",
    help,
    expected: `a number from 0 to ${mostSeconds}`,
    read(given) {
      const value = Number(given);
      return given.trim() !== "" && value >= 0 && value <= mostSeconds ? value : undefined;
    },
  };
}
