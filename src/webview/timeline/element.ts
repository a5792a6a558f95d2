import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** In pixels. */
export function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(document.documentElement.clientWidth);
  useLayoutEffect(() => {
    if (element.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(entry.contentRect.width);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** The page may not scroll meanwhile, so it is no passive listener. */
export function useWheel(
  element: { readonly current: HTMLElement | null },
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
