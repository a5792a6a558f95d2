import * as l10n from "@vscode/l10n";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { axisOf, panned, type Period, type Times, zoomed } from "../../views/timeline/axis.ts";
import { present } from "../../view/words.ts";
import type { Look, Span, TimelineView } from "../../views/timeline/messages.ts";
import { type Row, rowsOf } from "../../views/timeline/rows.ts";
import { AxisHead, Grid, useSize, useTimes } from "./axis-head.tsx";
import { clock } from "../clock.tsx";
import { type Columns, columnsOf, Tooltip, TreeRow } from "./row.tsx";
import { Toolbar } from "./toolbar.tsx";

/** Narrower, a row has two lines (pixels). */
const narrow = 460;
const rowHeights = { wide: 22, narrow: 38 };
const tickWidth = 80;
/** Rows that are drawn above and below those in view. */
const around = 6;
/** How long the mouse must rest (ms). */
const hoverPause = 350;
/** Until then a click may be the first of a double click (ms). */
const clickPause = 300;

type Timer = ReturnType<typeof setTimeout> | undefined;
type KeyActions = Readonly<Record<string, (() => void) | undefined>>;

interface TimelineProps {
  readonly view: TimelineView;
  /** At the beginning; later changes are the component's own. */
  readonly look: Look;
  readonly onLook?: (look: Look) => void;
  readonly onReveal?: (span: Span, takesFocus: boolean) => void;
  /** Undefined if its tasks are defined elsewhere. */
  readonly onDefine?: ((span: Span) => void) | undefined;
  /** On a page that tells the rest: only axis and rows. */
  readonly isSmall?: boolean;
  /** With another timeline on the same axis. */
  readonly shared?: {
    readonly times: Times;
    readonly zoom: Period | undefined;
    readonly onZoom: (zoom: Period | undefined) => void;
    readonly columns: Columns;
  };
}

/** One execution. For another, use another `key`. */
export function Timeline(props: TimelineProps) {
  const { view, onLook, onReveal, onDefine, isSmall = false, shared } = props;
  const { spans } = view;
  const isRunning = spans.some(({ end }) => end === undefined);
  const [look, setLook] = useState(props.look);
  const id = useId();
  const idOf = (index: number) => `${id}-${index}`;
  const [tip, setTip] = useState<string>();
  const [top, setTop] = useState(0);
  const isAtEnd = useRef(isRunning);
  const scroller = useRef<HTMLDivElement>(null);
  const tree = useRef<HTMLDivElement>(null);
  const track = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const hover = useRef<Timer>(undefined);
  const click = useRef<Timer>(undefined);
  const scrolled = useSize(scroller);
  const isNarrow = scrolled.width < narrow;
  const { width } = useSize(track);
  const rowHeight = isNarrow ? rowHeights.narrow : rowHeights.wide;

  const start = spans[0]?.start ?? view.now;
  const own = useTimes(spans);
  const times = shared?.times ?? own;
  const { extent } = times;
  const zoom = shared === undefined ? look.zoom : shared.zoom;
  const axis = axisOf(zoom ?? { from: 0, to: extent }, times, width / tickWidth);
  const { rows, hits } = useMemo(
    () => rowsOf(spans, look),
    [spans, look.closed, look.text, look.kinds],
  );
  const active = rows.findIndex(({ span }) => span.id === look.active);
  const show = (index: number) => {
    const { current } = scroller;
    if (current === null) return;
    const top = index * rowHeight;
    const highest = Math.max(current.scrollTop, top + rowHeight - current.clientHeight);
    current.scrollTop = Math.min(top, highest);
  };

  const change = (more: Partial<Look>) => setLook((before) => ({ ...before, ...more }));
  const zoomTo = shared?.onZoom ?? ((zoom: Period | undefined) => change({ zoom }));
  /** Around what is active, else the middle. */
  const zoomBy = (factor: number | undefined, place = placeOfActive()) =>
    zoomTo(factor === undefined ? undefined : zoomed(axis, factor, place, extent));
  const placeOfActive = () => {
    const span = rows[active]?.span;
    if (span === undefined) return 0.5;
    const [from, to] = [span.start, span.end ?? clock.now()].map((time) =>
      axis.placeOf(time - start),
    );
    // In places, because a wait may be drawn shorter.
    const place = ((from ?? 0) + (to ?? 1)) / 2;
    return place < 0 || place > 1 ? 0.5 : place;
  };
  const pan = (share: number) => {
    if (zoom !== undefined) zoomTo(panned(axis, share, extent));
  };
  const activate = (index: number) => {
    const row = rows[Math.max(0, Math.min(index, rows.length - 1))];
    if (row === undefined) return;
    change({ active: row.span.id });
    show(rows.indexOf(row));
  };
  const toggle = ({ span: { id }, isOpen }: Row) => {
    if (isOpen === undefined || hits !== undefined) return;
    change({
      closed: isOpen ? [...look.closed, id] : look.closed.filter((each) => each !== id),
    });
  };
  /** What it leads to may move a small timeline away from a second click. */
  const clicked = (span: Span) => {
    clearTimeout(click.current);
    const pause = isSmall && onDefine !== undefined ? clickPause : 0;
    if (pause === 0) onReveal?.(span, false);
    else click.current = setTimeout(() => onReveal?.(span, false), pause);
  };
  const hideTip = () => {
    clearTimeout(hover.current);
    setTip(undefined);
  };

  useEffect(() => onLook?.(look), [look]);
  useLayoutEffect(() => {
    if (active >= 0) show(active);
  }, []);
  useLayoutEffect(() => {
    const { current } = scroller;
    if (isAtEnd.current && isRunning) current?.scrollTo({ top: current.scrollHeight });
  }, [isRunning, rows.length, rowHeight]);
  const onWheel = (event: WheelEvent) => {
    const { left, width } = track.current?.getBoundingClientRect() ?? { left: 0, width: 0 };
    if (width === 0) return;
    const across = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    const isZoom = event.ctrlKey || event.metaKey;
    if (!isZoom && (across === 0 || zoom === undefined)) return;
    event.preventDefault();
    const place = Math.min(1, Math.max(0, (event.clientX - left) / width));
    if (isZoom) zoomBy(event.deltaY > 0 ? 1.25 : 0.8, place);
    else pan(across / width);
  };

  const rowAt = (target: EventTarget | null) => {
    const element = target instanceof Element ? target.closest<HTMLElement>("[data-index]") : null;
    return rows[Number(element?.dataset["index"] ?? -1)];
  };
  const actionOf = ({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent) => {
    const row = rows[active];
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2;
    const go = (index: number) => () => activate(index);
    const about = (act: (row: Row) => void) => (row === undefined ? go(0) : () => act(row));
    const toSearch = () => search.current?.focus();
    const parent = rows.findIndex(({ span }) => span.id === row?.span.parentId);
    const inward = row?.isOpen === false ? about(toggle) : row?.isOpen && go(active + 1);
    const outward = row?.isOpen === true ? about(toggle) : go(parent);
    const withControl: KeyActions = { f: toSearch, Enter: about(({ span }) => onDefine?.(span)) };
    const alone: KeyActions = {
      ArrowDown: go(active + 1),
      ArrowUp: go(active - 1),
      PageDown: go(active + page),
      PageUp: go(active - page),
      Home: go(0),
      End: go(rows.length - 1),
      ArrowRight: shiftKey ? () => pan(0.25) : inward,
      ArrowLeft: shiftKey ? () => pan(-0.25) : outward,
      Enter: about(({ span }) => onReveal?.(span, true)),
      " ": about(({ span }) => setTip(tip === undefined ? span.id : undefined)),
      "+": () => zoomBy(0.5),
      "=": () => zoomBy(0.5),
      "-": () => zoomBy(2),
      "0": () => zoomBy(undefined),
      "/": toSearch,
    };
    if (altKey) return undefined;
    return (ctrlKey || metaKey ? withControl : alone)[key];
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const action = actionOf(event);
    if (action === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key !== " ") hideTip();
    action();
  };
  const columns = shared?.columns ?? columnsOf(spans);
  const names = present(
    "timeline",
    isSmall && "small",
    isNarrow && "narrow",
    !columns.tokens && "no-tokens",
    !columns.cost && "no-cost",
  );
  const first = Math.floor(top / rowHeight) - around;
  const last = Math.ceil((top + scrolled.height) / rowHeight) + around;
  const tipped = spans.find(({ id }) => id === tip);

  return (
    <div
      class={names.join(" ")}
      data-state={view.state}
      onKeyDown={({ key }) => {
        if (key === "Escape") hideTip();
      }}
    >
      {!isSmall && (
        <div class="top">
          <header>
            <h1 title={view.title}>{view.title}</h1>
            <span class="crew-name">{view.crew}</span>
            <span class={`state ${view.state}`} role="status">
              {view.stateLabel}
            </span>
          </header>
          <Toolbar
            {...{ look, search, onLook: change, onZoom: zoomBy }}
            hits={hits === undefined ? undefined : [hits, spans.length]}
            onLeave={() => tree.current?.focus()}
          />
        </div>
      )}
      {view.note !== undefined && <p class="note">{view.note}</p>}
      <div class="head" aria-hidden="true">
        <div class="name">{l10n.t("Name")}</div>
        <div class="figure time">{l10n.t("Time")}</div>
        <div class="figure tokens">{l10n.t("Tokens")}</div>
        <div class="figure cost" title={l10n.t("Estimated cost, by the prices in the settings")}>
          {l10n.t("Est. cost")}
        </div>
        <AxisHead {...{ axis, place: track, onZoom: zoomTo }} />
      </div>
      <div class="rows">
        <Grid axis={axis} />
        <div
          class="scroller"
          ref={scroller}
          onWheel={onWheel}
          onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
            hideTip();
            setTop(scrollTop);
            isAtEnd.current = scrollTop + clientHeight >= scrollHeight - rowHeight / 2;
          }}
        >
          <div
            class="tree"
            role="tree"
            tabIndex={0}
            ref={tree}
            aria-label={l10n.t("Timeline of {0}", view.title)}
            aria-activedescendant={active < 0 ? undefined : idOf(active)}
            aria-describedby={`${id}-${tip === undefined ? "keys" : "tip"}`}
            style={{ height: `${rows.length * rowHeight}px` }}
            onKeyDown={onKeyDown}
            onFocus={() => {
              // Without scrolling: a click gives focus before it hits its row.
              if (active < 0 && rows[0] !== undefined) change({ active: rows[0].span.id });
            }}
            onBlur={hideTip}
            onClick={({ target, detail }) => {
              const row = rowAt(target);
              if (row === undefined) return;
              hideTip();
              change({ active: row.span.id });
              if (target instanceof Element && target.closest(".twistie") !== null) toggle(row);
              // The second click of a double click would only do the same.
              else if (detail < 2) clicked(row.span);
            }}
            onDblClick={({ target }) => {
              clearTimeout(click.current);
              const row = rowAt(target);
              if (row !== undefined) onDefine?.(row.span);
            }}
            onPointerMove={({ target }) => {
              // A mark has its own.
              const isMark = target instanceof Element && target.closest(".event") !== null;
              const span = isMark ? undefined : rowAt(target)?.span;
              if (span !== undefined && span.id === tip) return;
              hideTip();
              if (span !== undefined) hover.current = setTimeout(() => setTip(span.id), hoverPause);
            }}
            onPointerLeave={hideTip}
          >
            {rows.flatMap((row, index) => {
              const isActive = index === active;
              // A screen reader must find the active one.
              if ((index < first || index >= last) && !isActive) return [];
              const place = { id: idOf(index), top: index * rowHeight };
              const shown = { ...place, row, index, axis, start, isActive };
              return <TreeRow key={row.span.id} isTipped={row.span.id === tip} {...shown} />;
            })}
          </div>
        </div>
        {rows.length === 0 && (
          <div class="nothing">
            <p>{l10n.t("Nothing matches the filter.")}</p>
            <button type="button" onClick={() => change({ text: "", kinds: [] })}>
              {l10n.t("Clear Filter")}
            </button>
          </div>
        )}
      </div>
      <span id={`${id}-keys`} class="unseen">
        {l10n.t(
          "Arrow keys move, Enter opens the place in the document, Ctrl+Enter the definition of the task, Space shows details, plus, minus and 0 zoom.",
        )}
      </span>
      {tipped !== undefined && <Tooltip id={`${id}-tip`} span={tipped} start={start} />}
    </div>
  );
}
