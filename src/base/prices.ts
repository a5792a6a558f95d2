import { asObject, numberAt } from "./json.ts";

/** US dollars for a million tokens. */
export interface Price {
  /** The model's name, with or without its provider, in any case; `*` stands for any characters. */
  readonly pattern: string;
  readonly input: number;
  readonly output: number;
}

/** @param raw the value of the setting `crewdeck.prices`, in which VS Code marks what is wrong */
export function readPrices(raw: unknown): readonly Price[] {
  return Object.entries(asObject(raw)).flatMap(([pattern, value]) => {
    const price = asObject(value);
    const [input, output] = [numberAt(price, "input"), numberAt(price, "output")];
    return pattern.trim() === "" || input === undefined || output === undefined
      ? []
      : [{ pattern: pattern.trim(), input, output }];
  });
}

/** The longest pattern that fits counts. A model that isn't known has the price of `*`. */
export function priceOf(model: string | undefined, prices: readonly Price[]): Price | undefined {
  const name = (model ?? "").toLowerCase();
  const names = [name, name.slice(name.lastIndexOf("/") + 1)];
  return prices
    .filter(({ pattern }) => names.some((each) => fits(each, pattern.toLowerCase())))
    .sort((one, other) => other.pattern.length - one.pattern.length)[0];
}

/** Piece by piece, since a pattern is not trusted to be a fast regular expression. */
function fits(name: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
