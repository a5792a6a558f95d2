import type { Node } from "jsonc-parser";

/** Where something stands in a text: offsets in UTF-16 units, the end not included. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One member of an object in a text. */
export interface Member {
  readonly name: string;
  readonly key: Node;
  readonly value: Node;
}

/** The members of an object that are whole, in the order of the text; none of what is no object. */
export function membersOf({ type, children = [] }: Node): readonly Member[] {
  if (type !== "object") return [];
  return children.flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined ? [] : [{ name: String(key.value), key, value }],
  );
}

/** The first member whose name stands there before it. */
export function secondOf(members: readonly Member[]): Member | undefined {
  const seen = new Set<string>();
  return members.find(({ name }) => seen.size === seen.add(name).size);
}

/** Where a node stands. */
export function spanOf({ offset, length }: Node): Span {
  return { start: offset, end: offset + length };
}
