import { diffLines, diffWords } from "diff";

/** How long a comparison may take (ms). */
const longest = { lines: 1_000, words: 300 };
/** With less in common, marked words would only disturb. */
const leastInCommon = 0.3;

export interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Lines that are the same, or what is in their place on each side, which may be nothing. */
export type DiffRow =
  | { readonly kind: "same"; readonly lines: readonly string[] }
  | { readonly kind: "changed"; readonly left: readonly Piece[]; readonly right: readonly Piece[] };

/** Undefined if they are too different to be compared in a second. */
export function diffRows(before: string, after: string): readonly DiffRow[] | undefined {
  const changes = diffLines(ended(before), ended(after), { timeout: longest.lines });
  if (changes === undefined) return undefined;
  const rows: DiffRow[] = [];
  for (let at = 0; at < changes.length; at += 1) {
    const change = changes[at];
    if (change === undefined) break;
    const text = change.value.replace(/\n$/, "");
    if (!change.added && !change.removed) {
      rows.push({ kind: "same", lines: text.split("\n") });
      continue;
    }
    const next = changes[at + 1];
    if (change.removed && next?.added === true) {
      rows.push(changedRow(text, next.value.replace(/\n$/, "")));
      at += 1;
    } else {
      const pieces = [{ text, isMarked: true }];
      rows.push({
        kind: "changed",
        left: change.removed ? pieces : [],
        right: change.added ? pieces : [],
      });
    }
  }
  return rows;
}

/** Words that differ are marked; the whole if most of them do. */
export function changedRow(left: string, right: string): DiffRow & { readonly kind: "changed" } {
  const changes = diffWords(left, right, { timeout: longest.words }) ?? [];
  const common = changes.reduce(
    (sum, { added, removed, value }) => (added || removed ? sum : sum + value.trim().length),
    0,
  );
  if (common * 2 < (left.length + right.length) * leastInCommon)
    return { kind: "changed", left: whole(left), right: whole(right) };
  const piecesOf = (other: "added" | "removed") =>
    changes.flatMap((change) =>
      change[other] ? [] : [{ text: change.value, isMarked: change.added || change.removed }],
    );
  return { kind: "changed", left: piecesOf("added"), right: piecesOf("removed") };
}

function whole(text: string): readonly Piece[] {
  return text === "" ? [] : [{ text, isMarked: true }];
}

/** The last line must not differ by its end. */
function ended(text: string): string {
  return `${text.replace(/\r\n?/g, "\n").replace(/(?<!\n)\n+$/, "")}\n`;
}
