import * as l10n from "@vscode/l10n";
import { useLayoutEffect, useRef } from "preact/hooks";
import { detailsOf } from "../../views/timeline/labels.ts";
import type { Span } from "../../views/timeline/messages.ts";
import { useNow } from "../clock.tsx";
import { Icon } from "../controls.tsx";

interface TooltipProps {
  readonly id: string;
  readonly span: Span;
  readonly start: number;
  /** Pixels in the page: it is below or above `top` to `bottom`. */
  readonly place: { readonly left: number; readonly top: number; readonly bottom: number };
}

/** Remote text, as text. */
export function Tooltip({ id, span, start, place }: TooltipProps) {
  const element = useRef<HTMLDivElement>(null);
  const now = useNow(span.end === undefined);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const { offsetWidth, offsetHeight } = current;
    const { clientWidth, clientHeight } = document.documentElement;
    const isBelow = place.bottom + offsetHeight + 4 <= clientHeight;
    const above = Math.max(2, place.top - offsetHeight - 4);
    const below = Math.min(place.bottom + 4, clientHeight - offsetHeight - 2);
    const hasMoreRoomAbove = place.top > clientHeight - place.bottom;
    current.style.left = `${Math.max(4, Math.min(place.left, clientWidth - offsetWidth - 4))}px`;
    current.style.top = `${isBelow || !hasMoreRoomAbove ? Math.max(2, below) : above}px`;
  });
  const { title, facts, blocks } = detailsOf(span, start, now);
  return (
    <div class={`tooltip ${span.kind} ${span.state}`} id={id} role="tooltip" ref={element}>
      <div class="title">
        <Icon name={span.kind} />
        {title}
      </div>
      <dl>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {blocks.map(([label, text]) => (
        <div class={`block${label === l10n.t("Events") ? " list" : ""}`} key={label}>
          <div class="block-label">{label}</div>
          <pre>{text}</pre>
        </div>
      ))}
    </div>
  );
}
