import * as l10n from "@vscode/l10n";
import { useState } from "preact/hooks";
import { type Side, type Sides, sides } from "../../views/comparison/messages.ts";
import type { Period } from "../../views/timeline/axis.ts";
import type { Span } from "../../views/timeline/messages.ts";
import { host } from "../host.ts";
import type { WholeView } from "../../views/timeline/messages.ts";
import { columnsOf } from "../timeline/row.tsx";
import { SmallTimeline } from "../timeline/small-timeline.tsx";
import { useTimes } from "../timeline/times.ts";

interface TimelinesProps {
  readonly views: Sides<WholeView>;
  readonly onReveal: (side: Side, span: Span) => void;
}

/** One above the other, each from its own start, with one axis and one zoom. */
export function Timelines({ views, onReveal }: TimelinesProps) {
  const [zoom, setZoom] = useState(host.kept.zoom);
  const { left, right } = views;
  const times = useTimes(left.spans, right.spans);
  const onZoom = (zoom: Period | undefined) => {
    setZoom(zoom);
    host.keep({ zoom });
  };
  const shared = {
    ...times,
    zoom,
    onZoom,
    columns: columnsOf([...left.spans, ...right.spans]),
  };
  return (
    <section aria-labelledby="timelines">
      <div class="heading">
        <h2 id="timelines">{l10n.t("Timelines")}</h2>
        {zoom !== undefined && (
          <button type="button" class="link" onClick={() => onZoom(undefined)}>
            {l10n.t("Show the Whole Time")}
          </button>
        )}
      </div>
      {sides.map((side) => (
        <div key={side} class={`timeline-of ${side}`}>
          <h3>{views[side].title}</h3>
          <SmallTimeline
            view={views[side]}
            look={host.kept.looks?.[side]}
            onLook={(look) => host.keep({ looks: { ...host.kept.looks, [side]: look } })}
            onReveal={(span) => onReveal(side, span)}
            shared={{ ...shared, isBelow: side === "right" }}
          />
        </div>
      ))}
    </section>
  );
}
