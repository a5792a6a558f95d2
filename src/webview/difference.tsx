import * as l10n from "@vscode/l10n";
import { type Change, diffWords } from "diff";
import { useMemo } from "preact/hooks";
import type { Side } from "../views/comparison/messages.ts";

interface Compared {
  readonly before: string;
  readonly after: string;
}

/** How long a comparison may take (ms). */
const timeout = 100;
/** More changes, or longer ones (characters), are shown in VS Code's diff editor alone. */
const few = { changes: 12, characters: 600 };

const isChanged = ({ added, removed }: Change) => added || removed;

/** Undefined if nothing changed, or so much that marked words would only disturb. */
function useFewChanges(before: string, after: string): readonly Change[] | undefined {
  return useMemo(() => {
    const parts = diffWords(before, after, { timeout }) ?? [];
    const changes = parts.filter(isChanged);
    const characters = changes.reduce((sum, { value }) => sum + value.length, 0);
    const isFew = changes.length <= few.changes && characters <= few.characters;
    return changes.length > 0 && isFew ? parts : undefined;
  }, [before, after]);
}

/** The words that changed, each with a few around it. Nothing if too many did. */
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

function Part({ part: { added, removed, value } }: { readonly part: Change }) {
  return added ? <ins>{value}</ins> : removed ? <del>{value}</del> : <>{value}</>;
}
