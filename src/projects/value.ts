import * as l10n from "@vscode/l10n";
import { ProjectError, type Position } from "./types.ts";

/** A YAML or JSON value. Mappings keep the order of the file. */
export type Value =
  string | number | boolean | null | readonly Value[] | ReadonlyMap<string, Value>;

/** Deeper nesting is a mistake, and could overflow the stack. */
export const maxDepth = 100;

/** Keys and indexes from the top of a file to a value. */
export type Path = readonly (string | number)[];

/** A parsed file and the positions of its values. */
export interface Source {
  readonly value: Value;
  /** The position of the value at a path; of a mapping or list below a key, the key's position. */
  at(path: Path): Position;
}

/** A value of a parsed file, read with checks that throw a ProjectError with its position. */
export class Place {
  readonly value: Value;
  readonly #source: Source;
  readonly #path: Path;

  constructor(source: Source, path: Path = [], value: Value = source.value) {
    this.#source = source;
    this.#path = path;
    this.value = value;
  }

  error(problem: string, expected: string): ProjectError {
    return new ProjectError(problem, expected, this.#source.at(this.#path));
  }

  members(expected: string): Map<string, Place> {
    const value = this.value;
    if (!(value instanceof Map))
      throw this.error(l10n.t("This is {0}.", describe(value)), expected);
    const map: ReadonlyMap<string, Value> = value;
    return new Map(
      [...map].map(([key, member]) => [key, new Place(this.#source, [...this.#path, key], member)]),
    );
  }

  items(expected: string): Place[] {
    const value = this.value;
    if (!isList(value)) throw this.error(l10n.t("This is {0}.", describe(value)), expected);
    return value.map((item, index) => new Place(this.#source, [...this.#path, index], item));
  }

  /** Text that isn't blank. */
  text(expected: string): string {
    if (typeof this.value !== "string")
      throw this.error(l10n.t("This is {0}.", describe(this.value)), expected);
    if (this.value.trim() === "") throw this.error(l10n.t("This text is empty."), expected);
    return this.value;
  }
}

/** The member, unless it is absent or has no value (`role:` in YAML, `null` in JSON). */
export function given(place: Place | undefined): Place | undefined {
  return place?.value === null ? undefined : place;
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

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
