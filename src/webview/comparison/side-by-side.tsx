import * as l10n from "@vscode/l10n";
import { useMemo, useState } from "preact/hooks";
import { type DiffRow, diffRows, type Piece } from "../../views/comparison/diff-rows.ts";
import { type Side, sides } from "../../views/comparison/messages.ts";

/** Unchanged lines beside a change; more are folded. */
const near = 3;

/** Two texts beside each other, or in a narrow editor each change below what was there. */
export function SideBySide({ left, right }: { readonly left: string; readonly right: string }) {
  const rows = useMemo(() => diffRows(left, right), [left, right]);
  if (rows === undefined)
    return <p class="faint">{l10n.t("The outputs are too different to be compared here.")}</p>;
  return (
    <div class="side-by-side">
      {rows.map((row, at) =>
        row.kind === "same" ? (
          <Unchanged
            key={at}
            lines={row.lines}
            isFirst={at === 0}
            isLast={at === rows.length - 1}
          />
        ) : (
          <Changed key={at} row={row} />
        ),
      )}
    </div>
  );
}

function Unchanged(props: {
  readonly lines: readonly string[];
  readonly isFirst: boolean;
  readonly isLast: boolean;
}) {
  const [isOpen, setOpen] = useState(false);
  const { lines, isFirst, isLast } = props;
  const [before, after] = [isFirst ? 0 : near, isLast ? 0 : near];
  const folded = lines.length - before - after;
  if (isOpen || folded < 3) return <Same lines={lines} />;
  return (
    <>
      <Same lines={lines.slice(0, before)} />
      <button type="button" class="link unchanged" onClick={() => setOpen(true)}>
        {l10n.t("Show {0} unchanged lines", folded)}
      </button>
      <Same lines={after === 0 ? [] : lines.slice(-after)} />
    </>
  );
}

/** A screen reader reads it once. */
function Same({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  const text = lines.join("\n");
  return (
    <div class="row">
      <div class="plain">{text}</div>
      <div class="plain" aria-hidden="true">
        {text}
      </div>
    </div>
  );
}

function Changed({ row }: { readonly row: DiffRow & { readonly kind: "changed" } }) {
  return (
    <div class="row changed">
      {sides.map((side) => (
        <Pieces
          key={side}
          side={side}
          pieces={row[side]}
          label={side === "left" ? l10n.t("Only on the left:") : l10n.t("Only on the right:")}
        />
      ))}
    </div>
  );
}

interface PiecesProps {
  readonly side: Side;
  readonly pieces: readonly Piece[];
  /** For screen readers, where no column says the side. */
  readonly label?: string;
}

/** What only this side has is marked: as a whole by a sign, words also by a line. */
export function Pieces({ side, pieces, label }: PiecesProps) {
  if (pieces.length === 0) return <div class={`plain ${side} empty`} />;
  const Mark = side === "left" ? "del" : "ins";
  const isWhole = pieces.every(({ isMarked }) => isMarked);
  return (
    <div class={`plain ${side}`}>
      {label !== undefined && <span class="unseen">{label}</span>}
      {pieces.map(({ text, isMarked }, at) =>
        isMarked ? (
          <Mark key={at} class={isWhole ? "whole" : "words"}>
            {text}
          </Mark>
        ) : (
          text
        ),
      )}
    </div>
  );
}
