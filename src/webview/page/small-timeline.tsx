import { render } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Look, Span, TimelineTexts } from "../../views/timeline/messages.ts";
import { Clock } from "../timeline/clock.ts";
import { Timeline, type WholeView } from "../timeline/timeline.tsx";
import { host } from "./host.ts";

const clock = new Clock();

interface SmallTimelineProps {
  readonly view: WholeView;
  readonly texts: TimelineTexts;
  readonly onReveal: (span: Span) => void;
}

/** The panel's timeline, small. A shadow tree keeps its style from the page's, and the page's from it. */
export function SmallTimeline({ view, texts, onReveal }: SmallTimelineProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isStyled, setStyled] = useState(false);
  clock.set(view.now);
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return;
    const { localId } = view;
    const kept: Look | undefined = host.kept.look;
    render(
      <>
        <link rel="stylesheet" href={styleOfTimeline()} onLoad={() => setStyled(true)} />
        <Timeline
          key={localId}
          {...{ view, texts, clock, onReveal }}
          look={
            kept?.localId === localId
              ? kept
              : { localId, closed: [], text: "", kinds: [], isWhole: false }
          }
          onLook={(look) => host.keep({ look })}
          onDefine={undefined}
          isSmall
        />
      </>,
      current.shadowRoot ?? current.attachShadow({ mode: "open" }),
    );
  });
  return <div class={isStyled ? "small-timeline" : "small-timeline unstyled"} ref={place} />;
}

/** Beside the page's own. */
function styleOfTimeline(): string {
  const own = document.querySelector<HTMLLinkElement>('link[rel="stylesheet"]')?.href ?? "";
  return own.replace(/page\.css/, "timeline.css");
}
