import * as l10n from "@vscode/l10n";
import { present, stateName } from "../../view/words.ts";
import type { Axis } from "../../views/timeline/axis.ts";
import {
  detailsOf,
  figuresOf,
  hintOf,
  markLines,
  nameOf,
  sentenceOf,
} from "../../views/timeline/labels.ts";
import type { Mark, Span } from "../../views/timeline/messages.ts";
import type { Row } from "../../views/timeline/rows.ts";
import { clock, useNow } from "../clock.tsx";
import { Facts, Icon } from "../controls.tsx";

interface RowProps {
  readonly row: Row;
  readonly id: string;
  readonly index: number;
  readonly top: number;
  readonly isActive: boolean;
  readonly isTipped: boolean;
  readonly axis: Axis;
  /** Of the execution (milliseconds since 1970). */
  readonly start: number;
}

export type Columns = ReturnType<typeof columnsOf>;

export function columnsOf(spans: readonly Span[]) {
  return {
    tokens: spans.some(({ tokens }) => tokens !== undefined),
    cost: spans.some(({ cost }) => cost !== undefined),
  };
}

/** Its events are handled by the tree, which finds it by `data-index`. */
export function TreeRow({ row, id, index, top, isActive, isTipped, axis, start }: RowProps) {
  const { span, isOpen, position, size, isContext } = row;
  const { kind, state, depth } = span;
  const hint = hintOf(span);
  const more = present(isActive && "active", isTipped && "tipped", isContext && "context");
  return (
    <div
      class={["row", kind, state, ...more].join(" ")}
      role="treeitem"
      id={id}
      data-index={index}
      aria-level={depth + 1}
      aria-posinset={position}
      aria-setsize={size}
      aria-expanded={isOpen}
      aria-selected={isActive}
      style={{ top: `${top}px` }}
    >
      <span class="unseen">{sentenceOf(span, start, clock.now())}</span>
      <div class="name" aria-hidden="true" style={{ paddingLeft: `${depth * 12}px` }}>
        <span class="twistie">{isOpen !== undefined && <Icon name="bend" isOpen={isOpen} />}</span>
        <Icon name={kind} />
        <span class="label">{nameOf(span)}</span>
        {hint !== undefined && <span class="hint">{hint}</span>}
        {state !== "completed" && state !== "waiting" && (
          <span class="mark">
            <Icon name={state} />
            {state !== "running" && <span>{stateName(state)}</span>}
          </span>
        )}
      </div>
      <Moving {...{ span, axis, start }} />
    </div>
  );
}

/** What grows by itself while its span runs: figures and bar. */
function Moving({ span, axis, start }: Pick<RowProps, "axis" | "start"> & { span: Span }) {
  const now = useNow(span.end === undefined);
  const [from, end] = [span.start - start, (span.end ?? Math.max(now, span.start)) - start];
  const [left, right] = [Math.max(0, axis.placeOf(from)), Math.min(1, axis.placeOf(end))];
  const isCut =
    (span.kind === "wait" || span.kind === "queue") &&
    axis.cuts.some((cut) => cut.from <= from && from < cut.to);
  return (
    <>
      {figuresOf(span, now).map(({ name, text }) => (
        <div key={name} class={`figure ${name}`} aria-hidden="true">
          {text}
        </div>
      ))}
      <div class="track" aria-hidden="true">
        {left <= right && (
          <div
            class={`bar${isCut ? " cut" : ""}`}
            style={{ left: `${left * 100}%`, width: `${(right - left) * 100}%` }}
          />
        )}
        <Marks marks={span.marks ?? []} axis={axis} start={start} />
      </div>
    </>
  );
}

/** Closer marks are drawn as one (part of the axis). */
const closest = 0.012;

function Marks({
  marks,
  axis,
  start,
}: Pick<RowProps, "axis" | "start"> & { marks: readonly Mark[] }) {
  const places: { readonly at: number; readonly marks: Mark[] }[] = [];
  for (const mark of marks) {
    const at = axis.placeOf(mark.at - start);
    const last = places.at(-1);
    if (last !== undefined && at - last.at < closest) last.marks.push(mark);
    else if (at >= 0 && at <= 1) places.push({ at, marks: [mark] });
  }
  return places.map(({ at, marks }) => (
    <span
      key={marks[0]?.id}
      class={marks.some(({ error }) => error !== undefined) ? "event bad" : "event"}
      title={markLines(marks, start)}
      style={{ left: `${at * 100}%` }}
    />
  ));
}

/** Below or above the row that is tipped. Remote text, as text. */
export function Tooltip({ id, span, start }: { id: string; span: Span; start: number }) {
  const now = useNow(span.end === undefined);
  const { title, facts, blocks } = detailsOf(span, start, now);
  return (
    <div class={`tooltip ${span.kind} ${span.state}`} id={id} role="tooltip">
      <div class="title">
        <Icon name={span.kind} />
        {title}
      </div>
      <Facts rows={facts} />
      {blocks.map(([label, text]) => (
        <div class={`block${label === l10n.t("Events") ? " list" : ""}`} key={label}>
          <div class="block-label">{label}</div>
          <pre>{text}</pre>
        </div>
      ))}
    </div>
  );
}
