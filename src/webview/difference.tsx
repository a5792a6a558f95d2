import * as l10n from "@vscode/l10n";
import { type Change, diffWords } from "diff";
import { useMemo, useState } from "preact/hooks";
import type { Side } from "../views/comparison/messages.ts";

interface Compared {
  readonly before: string;
  readonly after: string;
}

/** How long a comparison may take (ms). */
const longest = { few: 100, all: 1_000 };
/** Changes that are shown beside what was asked for, and their characters. */
const few = { changes: 12, characters: 600 };
/** Lines of unchanged text beside a change; more are folded. */
const near = 3;

const isChanged = ({ added, removed }: Change) => added || removed;

/** Undefined if nothing changed, or so much that marked words would only disturb. */
function useFewChanges(before: string, after: string): readonly Change[] | undefined {
  return useMemo(() => {
    const parts = diffWords(before, after, { timeout: longest.few }) ?? [];
    const changes = parts.filter(isChanged);
    const characters = changes.reduce((sum, { value }) => sum + value.length, 0);
    const isFew = changes.length <= few.changes && characters <= few.characters;
    return changes.length > 0 && isFew ? parts : undefined;
  }, [before, after]);
}

/** The words that changed, each with a few around it. Nothing if too many did: then the outputs are compared. */
export function ChangedWords({ before, after }: Compared) {
  const parts = useFewChanges(before, after);
  if (parts === undefined) return null;
  return (
    <>
      <p class="title">{l10n.t("What changed:")}</p>
      <p class="difference">
        {parts.map((part, at) => (
          <Part
            key={at}
            part={isChanged(part) ? part : around(part, at > 0, at < parts.length - 1)}
          />
        ))}
      </p>
    </>
  );
}

/** The words of a text that are next to a change before it, after it or both. */
function around(part: Change, isAfter: boolean, isBefore: boolean): Change {
  const { value } = part;
  const most = 30;
  if (value.length <= 2 * most) return part;
  const begin = isAfter ? value.slice(0, most).replace(/\S*$/, "") : "";
  const end = isBefore ? value.slice(-most).replace(/^\S*/, "") : "";
  return { ...part, value: `${begin}…${end}` };
}

/** One of two short texts, with the words that only it has. */
export function OneSide({ before, after, side }: Compared & { readonly side: Side }) {
  const parts = useFewChanges(before, after);
  const other = side === "left" ? "added" : "removed";
  if (parts === undefined) return <>{side === "left" ? before : after}</>;
  return <>{parts.map((part, at) => !part[other] && <Part key={at} part={part} />)}</>;
}

/** What changed from one output to the next. */
export function Difference({ before, after }: Compared) {
  const parts = useMemo(() => diffWords(before, after, { timeout: longest.all }), [before, after]);
  if (parts === undefined)
    return <p class="faint">{l10n.t("The outputs are too different to be compared here.")}</p>;
  if (!parts.some(isChanged)) return <p class="faint">{l10n.t("The outputs are the same.")}</p>;
  return (
    <div class="plain difference">
      {parts.map((part, at) =>
        isChanged(part) ? (
          <Part key={at} part={part} />
        ) : (
          <Unchanged
            key={at}
            text={part.value}
            isFirst={at === 0}
            isLast={at === parts.length - 1}
          />
        ),
      )}
    </div>
  );
}

function Part({ part: { added, removed, value } }: { readonly part: Change }) {
  return added ? <ins>{value}</ins> : removed ? <del>{value}</del> : <>{value}</>;
}

interface UnchangedProps {
  readonly text: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

function Unchanged({ text, isFirst, isLast }: UnchangedProps) {
  const [isOpen, setOpen] = useState(false);
  const lines = text.split("\n");
  const [before, after] = [isFirst ? 0 : near, isLast ? 0 : near];
  const folded = lines.length - before - after;
  if (isOpen || folded < near) return <>{text}</>;
  return (
    <>
      {lines.slice(0, before).join("\n")}
      <button type="button" class="link unchanged" onClick={() => setOpen(true)}>
        {l10n.t("Show {0} unchanged lines", folded)}
      </button>
      {after > 0 && lines.slice(-after).join("\n")}
    </>
  );
}
