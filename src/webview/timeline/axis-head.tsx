import * as l10n from "@vscode/l10n";
import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import type { Axis, Period } from "../../views/timeline/axis.ts";
import { formatSpan, tickTexts } from "../../view/lengths.ts";
import { useNow } from "../clock.tsx";

/** Shorter drags are clicks (pixels). */
const shortestDrag = 6;

/** Of a tick's label, about (pixels). */
const letterWidth = 7;

interface AxisHeadProps {
  readonly axis: Axis;
  /** Pixels. */
  readonly width: number;
  readonly place: RefObject<HTMLDivElement | null>;
  /** `undefined`: everything. */
  readonly onZoom: (zoom: Period | undefined) => void;
}

/** The times; dragging over them zooms in, a double click shows everything. */
export function AxisHead({ axis, width, place, onZoom }: AxisHeadProps) {
  const [dragged, setDragged] = useState<readonly [number, number]>();
  const placeIn = (event: PointerEvent) => {
    const { left, width } = place.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    return Math.min(1, Math.max(0, (event.clientX - left) / width));
  };
  const end = () => {
    setDragged(undefined);
    if (dragged === undefined) return;
    const [from = 0, to = 0] = dragged.toSorted((one, other) => one - other);
    if ((to - from) * (place.current?.clientWidth ?? 0) < shortestDrag) return;
    onZoom({ from: axis.timeAt(from), to: axis.timeAt(to) });
  };
  return (
    <div
      class="axis"
      ref={place}
      aria-hidden="true"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        place.current?.setPointerCapture(event.pointerId);
        setDragged([placeIn(event), placeIn(event)]);
      }}
      onPointerMove={(event) => {
        if (dragged !== undefined) setDragged([dragged[0], placeIn(event)]);
      }}
      onPointerUp={end}
      onPointerCancel={() => setDragged(undefined)}
      onDblClick={() => onZoom(undefined)}
    >
      {labelsOf(axis, width).map(({ tick, at, label }) => (
        <span class="tick" key={tick} style={{ left: `${at * 100}%` }}>
          {label}
        </span>
      ))}
      {axis.cuts.map(({ from, to }) => (
        <span
          class="tick cut"
          key={from}
          title={l10n.t("Shortened: {0}", formatSpan(to - from, "fine"))}
          style={{ left: `${((axis.placeOf(from) + axis.placeOf(to)) / 2) * 100}%` }}
        >
          ⋯
        </span>
      ))}
      {dragged !== undefined && (
        <div
          class="dragged"
          style={{
            left: `${Math.min(...dragged) * 100}%`,
            width: `${Math.abs(dragged[1] - dragged[0]) * 100}%`,
          }}
        />
      )}
    </div>
  );
}

/** Cut off, or below another, a label would name another time. */
function labelsOf({ ticks, placeOf }: Axis, width: number) {
  const labels = tickTexts(ticks);
  let end = -Infinity;
  return ticks.flatMap((tick, index) => {
    const label = labels[index] ?? "";
    const at = placeOf(tick);
    const [left, right] = [at * width, at * width + label.length * letterWidth];
    if (left < end || right > width) return [];
    end = right;
    return [{ tick, at, label }];
  });
}

/** Lines from the times through all rows. */
export function Grid({ axis }: { axis: Axis }) {
  return (
    <>
      {axis.ticks.map((tick) => (
        <div class="line" key={tick} style={{ left: `${axis.placeOf(tick) * 100}%` }} />
      ))}
    </>
  );
}

/** The present time, while something runs. */
export function NowLine({
  axis,
  start,
  isRunning,
}: {
  axis: Axis;
  start: number;
  isRunning: boolean;
}) {
  const place = axis.placeOf(useNow(isRunning) - start);
  if (!isRunning || place < 0 || place > 1) return null;
  return <div class="now" style={{ left: `${place * 100}%` }} />;
}
