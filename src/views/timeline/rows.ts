import { searchedTexts } from "./labels.ts";
import type { Look, Span } from "./messages.ts";

export type Row = ReturnType<typeof rowsOf>["rows"][number];

/** A filter shows what matches with all that it is part of, also what is closed. @param spans each after its parent */
export function rowsOf(
  spans: readonly Span[],
  { closed, text, kinds }: Pick<Look, "closed" | "text" | "kinds">,
) {
  const wanted = text.trim().toLowerCase();
  const isFiltered = wanted !== "" || kinds.length > 0;
  const hits = new Set(spans.filter((span) => isFiltered && matches(span, wanted, kinds)));
  const kept = new Set<string | undefined>();
  for (const span of spans.toReversed())
    if (!isFiltered || hits.has(span) || kept.has(span.id)) kept.add(span.id).add(span.parentId);
  const shown = spans.filter(({ id }) => kept.has(id));
  const siblings = Map.groupBy(shown, ({ parentId }) => parentId);
  const positions = new Map(
    [...siblings.values()].flatMap((all) => all.map((span, at) => [span, at])),
  );
  const isClosed = new Set(isFiltered ? [] : closed);
  const hidden = new Set<string | undefined>();
  const rows = shown.flatMap((span) => {
    const { id, parentId = "" } = span;
    if (hidden.has(parentId) || isClosed.has(parentId)) {
      hidden.add(id);
      return [];
    }
    return [
      {
        span,
        isOpen: siblings.has(id) ? !isClosed.has(id) : undefined,
        /** From 1, among the visible rows of its parent. */
        position: (positions.get(span) ?? 0) + 1,
        size: siblings.get(span.parentId)?.length ?? 1,
        isContext: isFiltered && !hits.has(span),
      },
    ];
  });
  return { rows, hits: isFiltered ? hits.size : undefined };
}

function matches(span: Span, wanted: string, kinds: Look["kinds"]): boolean {
  // An attempt is what a task does.
  const kind = span.kind === "attempt" ? "task" : span.kind;
  if (kinds.length > 0 && !kinds.includes(kind)) return false;
  return (
    wanted === "" ||
    searchedTexts(span).some((text) => text?.toLowerCase().includes(wanted) === true)
  );
}
