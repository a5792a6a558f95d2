import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { extentOf, type Period, waitsOf } from "../../views/timeline/axis.ts";
import type { Span } from "../../views/timeline/messages.ts";
import { clock } from "../clock.tsx";

/** In pixels. */
export function useSize(element: RefObject<HTMLElement | null>) {
  const { clientWidth, clientHeight } = document.documentElement;
  const [size, setSize] = useState({ width: clientWidth, height: clientHeight });
  useLayoutEffect(() => {
    if (element.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setSize(entry.contentRect);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return size;
}

/** What an axis spans (ms), and the long waits in it. */
export interface Times {
  readonly extent: number;
  readonly waits: readonly Period[];
}

/** Of all executions on an axis. Renders again only when what runs reaches its end. */
export function useTimes(...all: readonly (readonly Span[])[]): Times {
  const [, redraw] = useState(0);
  const extent = useRef(0);
  const isRunning = all.flat().some(({ end }) => end === undefined);
  const newExtent = () => extentOf(all, clock.now(), extent.current);
  extent.current = newExtent();
  useEffect(() => {
    if (!isRunning) return undefined;
    return clock.listen(() => {
      if (newExtent() !== extent.current) redraw((times) => times + 1);
    });
  }, [...all, isRunning]);
  const { current } = extent;
  return useMemo(() => ({ extent: current, waits: waitsOf(all, current) }), [...all, current]);
}
