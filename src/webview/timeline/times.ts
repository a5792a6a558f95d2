import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { extentOf, longWaits, openWaits, type Period } from "../../views/timeline/axis.ts";
import type { Span } from "../../views/timeline/messages.ts";
import { clock } from "../clock.tsx";

/** What an axis spans (ms), and the long waits in it. */
export interface Times {
  readonly extent: number;
  readonly waits: readonly Period[];
}

/**
 * Renders again only when what runs reaches the end of the axis.
 * @param beside of an execution on the same axis
 */
export function useTimes(spans: readonly Span[], beside: readonly Span[] = none): Times {
  const [, redraw] = useState(0);
  const extent = useRef(0);
  const all = beside.length === 0 ? [spans] : [spans, beside];
  const isRunning = all.some((each) => each.some(({ end }) => end === undefined));
  const newExtent = () =>
    Math.max(...all.map((each) => extentOf(each, clock.now(), extent.current)));
  extent.current = newExtent();
  useEffect(() => {
    if (!isRunning) return undefined;
    return clock.listen(() => {
      if (newExtent() !== extent.current) redraw((times) => times + 1);
    });
  }, [spans, beside, isRunning]);
  const waits = useMemo(() => longWaits(spans, clock.now(), beside), [spans, beside]);
  const { current } = extent;
  return useMemo(
    () => ({ extent: current, waits: openWaits(waits, all, current) }),
    [current, waits],
  );
}

const none: readonly Span[] = [];
