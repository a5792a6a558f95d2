import * as l10n from "@vscode/l10n";
import { ProjectError, type Position } from "./types.ts";

/** What YAML and JSON can say. Mappings keep the order of the file. */
export type Value =
  string | number | boolean | null | readonly Value[] | ReadonlyMap<string, Value>;

/** The way from the top of a file to a value: keys and indexes. */
export type Path = readonly (string | number)[];

/** A parsed file that can say where each of its values stands. */
export interface Source {
  readonly value: Value;
  /** Where the value at a path stands; for a mapping or list below a key, where that key stands. */
  at(path: Path): Position;
}

/** One value of a parsed file and its place, read with checks: what is not as expected throws a ProjectError that names the place. */
export class Place {
  readonly value: Value;
  readonly #source: Source;
  readonly #path: Path;

  constructor(source: Source, path: Path = [], value: Value = source.value) {
    this.#source = source;
    this.#path = path;
    this.value = value;
  }

  /** The error for this place. */
  error(problem: string, expected: string): ProjectError {
    return new ProjectError(problem, expected, this.#source.at(this.#path));
  }

  /** The members of a mapping, in the order of the file. */
  members(expected: string): Map<string, Place> {
    const value = this.value;
    if (!(value instanceof Map))
      throw this.error(l10n.t("This is {0}.", describe(value)), expected);
    const map: ReadonlyMap<string, Value> = value;
    return new Map(
      [...map].map(([key, member]) => [key, new Place(this.#source, [...this.#path, key], member)]),
    );
  }

  /** The items of a list. */
  items(expected: string): Place[] {
    const value = this.value;
    if (!isList(value)) throw this.error(l10n.t("This is {0}.", describe(value)), expected);
    return value.map((item, index) => new Place(this.#source, [...this.#path, index], item));
  }

  /** A text that is not blank. */
  text(expected: string): string {
    if (typeof this.value !== "string")
      throw this.error(l10n.t("This is {0}.", describe(this.value)), expected);
    if (this.value.trim() === "") throw this.error(l10n.t("This text is empty."), expected);
    return this.value;
  }
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** The value as plain data, for storing. */
export function toPlain(value: Value): unknown {
  if (isList(value)) return value.map(toPlain);
  if (value instanceof Map) {
    const map: ReadonlyMap<string, Value> = value;
    return Object.fromEntries([...map].map(([key, member]) => [key, toPlain(member)]));
  }
  return value;
}

function describe(value: Value): string {
  if (value === null) return "empty";
  if (typeof value === "string") return "text";
  if (typeof value === "number") return l10n.t("the number {0}", value);
  if (typeof value === "boolean") return value ? "true" : "false";
  return isList(value) ? l10n.t("a list") : l10n.t("a mapping");
}
