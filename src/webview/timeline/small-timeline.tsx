import { render } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Look, Span, TimelineTexts } from "../../views/timeline/messages.ts";
import type { Clock } from "./clock.ts";
import type { WholeView } from "./known-spans.ts";
import { type SharedAxis, Timeline } from "./timeline.tsx";

interface SmallTimelineProps {
  readonly view: WholeView;
  readonly texts: TimelineTexts;
  readonly clock: Clock;
  /** From before the page was hidden. */
  readonly look: Look | undefined;
  readonly onLook: (look: Look) => void;
  readonly onReveal: (span: Span, takesFocus: boolean) => void;
  /** As in the panel's timeline. */
  readonly onDefine?: ((span: Span) => void) | undefined;
  readonly shared?: SharedAxis;
}

/** The panel's timeline, small. A shadow tree keeps its style from the page's, and the page's from it. */
export function SmallTimeline(props: SmallTimelineProps) {
  const { view, texts, clock, look: kept, onLook, onReveal, onDefine, shared } = props;
  const place = useRef<HTMLDivElement>(null);
  const [isStyled, setStyled] = useState(false);
  useMemo(() => clock.set(view.now), [view]);
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return;
    const { localId } = view;
    render(
      <>
        <link rel="stylesheet" href={styleOfTimeline()} onLoad={() => setStyled(true)} />
        {/* Without its style it has no height, and could not scroll to its end. */}
        {isStyled && (
          <Timeline
            key={localId}
            {...{ view, texts, clock, onLook, onReveal }}
            {...(shared !== undefined && { shared })}
            look={
              kept?.localId === localId
                ? kept
                : { localId, closed: [], text: "", kinds: [], isWhole: false }
            }
            onDefine={onDefine}
            isSmall
          />
        )}
      </>,
      current.shadowRoot ?? current.attachShadow({ mode: "open" }),
    );
  });
  return <div class={isStyled ? "small-timeline" : "small-timeline unstyled"} ref={place} />;
}

/** Beside the page's own. */
function styleOfTimeline(): string {
  const own = document.querySelector<HTMLLinkElement>('link[rel="stylesheet"]')?.href ?? "";
  return own.replace(/[\w-]+\.css/, "timeline.css");
}
