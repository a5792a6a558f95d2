import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualItem,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface VirtualRows {
  readonly items: readonly VirtualItem[];
  /** Pixels. */
  readonly height: number;
  readonly show: (index: number) => void;
}

/** The rows that are in view, and `kept`, which a screen reader must find. */
export function useVirtualRows(
  scroller: RefObject<HTMLElement | null>,
  { count, rowHeight, kept }: { count: number; rowHeight: number; kept: number },
): VirtualRows {
  const [, redraw] = useState(0);
  const virtualizer = useRef<Virtualizer<HTMLElement, HTMLElement> | undefined>(undefined);
  const options = {
    count,
    estimateSize: () => rowHeight,
    getScrollElement: () => scroller.current,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    overscan: 6,
    rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) => {
      const indexes = defaultRangeExtractor(range);
      return kept < 0 || kept >= count || indexes.includes(kept)
        ? indexes
        : [...indexes, kept].sort((one, other) => one - other);
    },
    onChange: () => redraw((times) => times + 1),
  };
  const current = (virtualizer.current ??= new Virtualizer<HTMLElement, HTMLElement>(options));
  current.setOptions(options);
  useLayoutEffect(() => current._didMount(), [current]);
  useLayoutEffect(() => current._willUpdate());
  useLayoutEffect(() => current.measure(), [current, rowHeight]);
  return {
    items: current.getVirtualItems(),
    height: current.getTotalSize(),
    show: (index) => current.scrollToIndex(index, { align: "auto" }),
  };
}
