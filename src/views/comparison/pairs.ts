import type { Sides } from "./messages.ts";

/**
 * By ID, then those between the same neighbours by order. In the left one's order; what only the
 * right one has follows what comes before it there.
 */
export function pairsOf<T extends { readonly taskId: string }>({
  left,
  right,
}: Sides<readonly T[]>): readonly Partial<Sides<T>>[] {
  const partners = new Map<T, T>();
  const isTaken = (task: T) => [...partners.values()].includes(task);
  for (const task of left) {
    const same = right.find((other) => isSameName(task, other) && !isTaken(other));
    if (same !== undefined) partners.set(task, same);
  }
  const placeOf = (task: T | undefined, none: number) => {
    const partner = task && partners.get(task);
    return partner === undefined ? none : right.indexOf(partner);
  };
  for (const [at, task] of left.entries()) {
    if (partners.has(task)) continue;
    const isMatched = (each: T) => partners.has(each);
    const from = placeOf(left.slice(0, at).findLast(isMatched), -1);
    const to = placeOf(left.slice(at).find(isMatched), right.length);
    const next = right.slice(from + 1, Math.max(from + 1, to)).find((other) => !isTaken(other));
    if (next !== undefined) partners.set(task, next);
  }
  const pairs: Partial<Sides<T>>[] = left.map((task) => {
    const partner = partners.get(task);
    return partner === undefined ? { left: task } : { left: task, right: partner };
  });
  for (const [at, task] of right.entries())
    if (!isTaken(task)) {
      const before = right[at - 1];
      const place = pairs.findIndex((pair) => pair.right === before);
      pairs.splice(before === undefined ? 0 : place + 1, 0, { right: task });
    }
  return pairs;
}

/** Names in projects differ in case and separators where one was written by hand. */
function isSameName(one: { readonly taskId: string }, other: { readonly taskId: string }): boolean {
  return plain(one.taskId) === plain(other.taskId);
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim();
}
