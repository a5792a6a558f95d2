import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Axis, type Period, type Times, timesOf } from "../../views/timeline/axis.ts";
import type { Span } from "../../views/timeline/messages.ts";
import { tickTexts } from "../../view/words.ts";
import { clock } from "../clock.tsx";
import { useResize } from "../controls.tsx";

/** Shorter drags are clicks (pixels). */
const shortestDrag = 6;

interface AxisHeadProps {
  readonly axis: Axis;
  readonly place: RefObject<HTMLDivElement | null>;
  readonly onZoom: (zoom: Period | undefined) => void;
}

/** The times; dragging over them zooms in, a double click shows everything. */
export function AxisHead({ axis, place, onZoom }: AxisHeadProps) {
  const [dragged, setDragged] = useState<readonly [number, number]>();
  const labels = tickTexts(axis.ticks);
  const placeIn = (event: PointerEvent) => {
    const { left, width } = place.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    return Math.min(1, Math.max(0, (event.clientX - left) / width));
  };
  const [from = 0, to = 0] = dragged?.toSorted((one, other) => one - other) ?? [];
  const end = () => {
    setDragged(undefined);
    if ((to - from) * (place.current?.clientWidth ?? 0) < shortestDrag) return;
    onZoom({ from: axis.timeAt(from), to: axis.timeAt(to) });
  };
  return (
    <div
      class="axis"
      ref={place}
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
      {axis.ticks.map((tick, at) => (
        <span class="tick" key={tick} style={{ left: `${axis.placeOf(tick) * 100}%` }}>
          {labels[at]}
        </span>
      ))}
      {dragged !== undefined && (
        <div class="dragged" style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }} />
      )}
    </div>
  );
}

export function Grid({ axis: { ticks, cuts, placeOf } }: { readonly axis: Axis }) {
  return (
    <div class="grid" aria-hidden="true">
      <div class="track">
        {cuts.map(({ from, to }) => (
          <div
            class="break"
            key={from}
            style={{
              left: `${placeOf(from) * 100}%`,
              width: `${(placeOf(to) - placeOf(from)) * 100}%`,
            }}
          />
        ))}
        {ticks.map((tick) => (
          <div class="line" key={tick} style={{ left: `${placeOf(tick) * 100}%` }} />
        ))}
      </div>
    </div>
  );
}

export function useSize(element: RefObject<HTMLElement | null>) {
  const { clientWidth, clientHeight } = document.documentElement;
  const [size, setSize] = useState({ width: clientWidth, height: clientHeight });
  useResize(element, (now) => setSize({ width: now.clientWidth, height: now.clientHeight }));
  return size;
}

/** Of all executions on an axis. Renders again only when what runs reaches its end. */
export function useTimes(...all: readonly (readonly Span[])[]): Times {
  const [, redraw] = useState(0);
  const times = timesOf(all, clock.now());
  const isRunning = all.flat().some(({ end }) => end === undefined);
  useEffect(() => {
    if (!isRunning) return undefined;
    return clock.listen(() => {
      if (timesOf(all, clock.now()).extent !== times.extent) redraw((count) => count + 1);
    });
  }, [...all, isRunning, times.extent]);
  return times;
}
