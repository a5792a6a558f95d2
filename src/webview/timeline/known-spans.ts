import type { Span, TimelineView } from "../../views/timeline/messages.ts";

export type WholeView = Omit<TimelineView, "spans"> & { readonly spans: readonly Span[] };

/** What the page has: only the spans that changed are sent. */
export class KnownSpans {
  #spans = new Map<string, Span>();

  whole(view: TimelineView): WholeView {
    const spans = view.spans.flatMap(
      (span) => (typeof span === "string" ? this.#spans.get(span) : span) ?? [],
    );
    this.#spans = new Map(spans.map((span) => [span.id, span]));
    return { ...view, spans };
  }
}
