import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

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

/** The page may not scroll meanwhile, so it is no passive listener. */
export function useWheel(
  element: RefObject<HTMLElement | null>,
  onWheel: (event: WheelEvent) => boolean,
): void {
  const latest = useRef(onWheel);
  latest.current = onWheel;
  useEffect(() => {
    const { current } = element;
    const listener = (event: WheelEvent) => {
      if (latest.current(event)) event.preventDefault();
    };
    current?.addEventListener("wheel", listener, { passive: false });
    return () => current?.removeEventListener("wheel", listener);
  }, []);
}
