import { readFileSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "./folders.ts";
import { seededRandom } from "./random.ts";

/** What JSON may hold where a text, a number or a list is expected. */
const hostile = [
  ...["null", "true", "false", "0", "-1", "1e308", "8640000000000001", "-1e-7", '""', '" "'],
  ...['"x"', '"1"', '"\\ud800"', '"\\u0000"', '"2026-10-21T12:00:00.123456"', '"\\u202e"', "[]"],
  ...["{}", "[[[]]]", "[null]", '{"toString":null}', '{"toString":{},"valueOf":null}'],
  ...['{"toJSON":null}', '{"__proto__":null}', '{"constructor":null,"length":-1}', '{"length":3}'],
  ...['{"hasOwnProperty":1}', '["a",{"toString":null}]', '{"0":"a"}', '[{"loc":[{}],"msg":[]}]'],
];

/** All texts that this file mentions: the members and values that it looks for. */
function wordsOf(file: string): readonly string[] {
  const text = readFileSync(path.join(projectFolder, file), "utf8");
  const found = [/"([\w -]{2,40})"/g, /\b([a-z]+_[a-z_]+)\b/g, /\b(?:const )?\{ ([\w, ]+) \}/g];
  const words = found.flatMap((part) => [...text.matchAll(part)].map(([, word = ""]) => word));
  return [...new Set(words.flatMap((word) => word.split(", ")))];
}

/** Random JSON with the members that readers look for, and hostile values in their places. */
export class HostileJson {
  readonly #random: () => number;
  readonly #files: readonly (readonly string[])[];
  /** Of one tree: few, so that they meet. */
  #words: readonly string[] = [];

  /** @param files of the readers */
  constructor(seed: number, files: readonly string[]) {
    this.#random = seededRandom(seed);
    this.#files = files.map(wordsOf);
  }

  next(): unknown {
    const words = this.#pick(this.#files);
    this.#words = Array.from({ length: 8 }, () => this.#pick(words));
    return JSON.parse(this.#value(3));
  }

  #value(depth: number): string {
    const kind = depth === 0 ? 1 : this.#random();
    if (kind < 0.55) return `{${this.#list(6, () => this.#member(depth))}}`;
    if (kind < 0.7) return `[${this.#list(4, () => this.#value(depth - 1))}]`;
    return this.#random() < 0.3 ? JSON.stringify(this.#pick(this.#words)) : this.#pick(hostile);
  }

  #member(depth: number): string {
    return `${JSON.stringify(this.#pick(this.#words))}:${this.#value(depth - 1)}`;
  }

  #list(most: number, item: () => string): string {
    return Array.from({ length: Math.floor(this.#random() * most) }, item).join();
  }

  #pick<T>(from: readonly T[]): T {
    const picked = from[Math.floor(this.#random() * from.length)];
    if (picked === undefined) throw new Error("There is nothing to pick from.");
    return picked;
  }
}
