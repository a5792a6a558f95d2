import { diffWords } from "diff";

/** More are read in a diff. */
const mostWords = 80;

/** A text's words that differ from an earlier one's, and some of the same line. Undefined if they are many. */
export function changedWords(before: string, after: string) {
  const changes = diffWords(before, after, { maxEditLength: mostWords });
  return changes?.map(({ value: text, added, removed }, at) => {
    if (added) return { tag: "ins", text } as const;
    if (removed) return { tag: "del", text } as const;
    const start = at === 0 ? undefined : /^.{0,40}(?=\s)/.exec(text);
    const end = at === changes.length - 1 ? undefined : /(?<=\s).{0,40}$/.exec(text);
    const ends = `${start?.[0] ?? ""} … ${end?.[0] ?? ""}`;
    return { tag: "span", text: text.length < ends.length + 20 ? text : ends } as const;
  });
}
