import { render } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Look, lookAt, type Span, type TimelineView } from "../../views/timeline/messages.ts";
import { type SharedAxis, Timeline } from "./timeline.tsx";

interface SmallTimelineProps {
  readonly view: TimelineView;
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
  const { view, look: kept, onLook, onReveal, onDefine, shared } = props;
  const place = useRef<HTMLDivElement>(null);
  const [isStyled, setStyled] = useState(false);
  const shadow = useRef<ShadowRoot | undefined>(undefined);
  useLayoutEffect(() => {
    const root = place.current?.attachShadow({ mode: "open" });
    shadow.current = root;
    return () => root && render(null, root);
  }, []);
  useLayoutEffect(() => {
    if (shadow.current === undefined) return;
    const { localId } = view;
    render(
      <>
        <link rel="stylesheet" href={styleOfTimeline()} onLoad={() => setStyled(true)} />
        {/* Without its style it has no height, and could not scroll to its end. */}
        {isStyled && (
          <Timeline
            key={localId}
            {...{ view, onLook, onReveal }}
            {...(shared !== undefined && { shared })}
            look={lookAt(localId, kept)}
            onDefine={onDefine}
            isSmall
          />
        )}
      </>,
      shadow.current,
    );
  });
  return <div class={isStyled ? "small-timeline" : "small-timeline unstyled"} ref={place} />;
}

/** Beside the page's own. */
function styleOfTimeline(): string {
  const own = document.querySelector<HTMLLinkElement>('link[rel="stylesheet"]')?.href ?? "";
  return own.replace(/(?<![\w-])[\w-]+\.css/, "timeline.css");
}
