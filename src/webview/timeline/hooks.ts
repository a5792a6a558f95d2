import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { type Times, timesOf } from "../../views/timeline/axis.ts";
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
