import * as l10n from "@vscode/l10n";
import { useState } from "preact/hooks";
import {
  type ComparedExecution,
  type ComparedRow,
  type ComparisonModel,
  type Side,
  type Sides,
  sides,
  type ToComparison,
} from "../../views/comparison/messages.ts";
import type { Period } from "../../views/timeline/axis.ts";
import { lookAt, type Span, type TimelineView } from "../../views/timeline/messages.ts";
import { clock, Elapsed } from "../clock.tsx";
import { draw, host } from "../host.ts";
import { Icon, LinkButton } from "../controls.tsx";
import { Fold } from "../page/content.tsx";
import { useTimes } from "../timeline/hooks.ts";
import { columnsOf } from "../timeline/row.tsx";
import { Timeline } from "../timeline/timeline.tsx";

interface ComparisonProps {
  readonly model: ComparisonModel;
  readonly timelines: Sides<TimelineView>;
}

function Comparison({ model, timelines }: ComparisonProps) {
  const { executions, spoken, figures, inputs, inputsNote, outputs } = model;
  const { left, right } = executions;
  const different = inputs.filter(({ isDifferent }) => isDifferent);
  const same = inputs.filter(({ isDifferent }) => !isDifferent);
  return (
    <>
      <header>
        <h1 class="unseen">{l10n.t("{0} compared with {1}", right.name, left.name)}</h1>
        <div class="executions">
          <Execution execution={left} side="left" />
          <button type="button" class="secondary" onClick={() => host.post({ type: "swap" })}>
            {l10n.t("Swap")}
          </button>
          <Execution execution={right} side="right" />
        </div>
        <p class="unseen" role="status">
          {spoken}
        </p>
      </header>
      <section aria-labelledby="figures">
        <h2 id="figures">{l10n.t("What Differs")}</h2>
        <Table id="figures" label={l10n.t("Figure")} rows={figures} executions={executions} />
      </section>
      {(inputs.length > 0 || inputsNote !== undefined) && (
        <section aria-labelledby="inputs">
          <Heading id="inputs" label={l10n.t("Inputs")} rows={inputs} />
          {inputsNote !== undefined && <p class="faint">{inputsNote}</p>}
          <Table id="inputs" label={l10n.t("Input")} rows={different} executions={executions} />
          {same.length > 0 && (
            <div class="facts">
              <Fold
                id="same inputs"
                isOpen={false}
                label={l10n.t("Inputs that are the same ({0})", same.length)}
              >
                <dl>
                  {same.map(({ label, values }) => (
                    <div key={label}>
                      <dt>{label}</dt>
                      <dd class="plain">{values.left}</dd>
                    </div>
                  ))}
                </dl>
              </Fold>
            </div>
          )}
        </section>
      )}
      <Timelines
        key={`${timelines.left.localId} ${timelines.right.localId}`}
        {...{ timelines, executions }}
        onReveal={(side, { taskId }) => reveal(outputs, side, taskId)}
      />
      {outputs.length > 0 && (
        <section aria-labelledby="outputs">
          <Heading id="outputs" label={l10n.t("Outputs")} rows={outputs} />
          <Table id="outputs" label={l10n.t("Output")} rows={outputs} executions={executions} />
        </section>
      )}
    </>
  );
}

function Execution({ execution, side }: { execution: ComparedExecution; side: Side }) {
  const { name, crew, state, label, started } = execution;
  return (
    <div class="execution">
      <div class="title">
        <Icon name={state} />
        <h2>
          <LinkButton label={name} message={{ type: "open", side }} />
        </h2>
      </div>
      <p class="state">
        <strong>{label}</strong>
        <span>{crew}</span>
        <span>{started}</span>
        <LinkButton
          label={l10n.t("Choose Another…")}
          name={l10n.t("Choose another execution instead of {0}", name)}
          message={{ type: "choose", side }}
        />
      </p>
    </div>
  );
}

interface TableProps {
  readonly id: "figures" | "inputs" | "outputs";
  readonly label: string;
  readonly rows: readonly ComparedRow[];
  readonly executions: ComparisonModel["executions"];
}

function Heading({ id, label, rows }: Omit<TableProps, "executions">) {
  const different = rows.filter(({ isDifferent }) => isDifferent);
  return (
    <div class="heading">
      <h2 id={id}>{label}</h2>
      {rows.length > 0 && (
        <span class="faint">{l10n.t("{0} of {1} differ", different.length, rows.length)}</span>
      )}
    </div>
  );
}

function Table({ id, label, rows, executions }: TableProps) {
  if (rows.length === 0) return null;
  return (
    <div class="table">
      <table class="comparison" aria-labelledby={id}>
        <thead>
          <tr>
            <th scope="col" class="faint">
              {label}
            </th>
            {sides.map((side) => (
              <th key={side} scope="col">
                {executions[side].name}
              </th>
            ))}
            <th scope="col">{l10n.t("Difference")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} class={row.isDifferent ? "different" : ""} id={`${id} ${row.id}`}>
              <th scope="row">{row.label}</th>
              {sides.map((side) => (
                <td key={side}>
                  <Value value={row.values[side]} />
                </td>
              ))}
              <td class="change">
                {row.difference}
                {row.opens !== undefined && <OpenButton row={row} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Value({ value }: { readonly value: ComparedRow["values"][Side] }) {
  if (typeof value === "number") return <Elapsed elapsed={value} />;
  if (value === undefined) return <span class="faint">{l10n.t("none")}</span>;
  if (value === "") return <em class="faint">{l10n.t("empty")}</em>;
  return <div class="plain">{value}</div>;
}

function OpenButton({ row: { id, label, opens } }: { readonly row: ComparedRow }) {
  const isDiff = opens === "diff";
  return (
    <LinkButton
      label={isDiff ? l10n.t("Open Diff") : l10n.t("Open Output")}
      name={isDiff ? l10n.t("Open Diff of {0}", label) : l10n.t("Open Output of {0}", label)}
      message={{ type: "openOutput", id }}
    />
  );
}

interface TimelinesProps extends Pick<ComparisonProps, "timelines"> {
  readonly executions: ComparisonModel["executions"];
  readonly onReveal: (side: Side, span: Span) => void;
}

/** One above the other, each from its own start, with one axis and one zoom. */
function Timelines({ timelines, executions, onReveal }: TimelinesProps) {
  const [zoom, setZoom] = useState(host.kept.zoom);
  const { left, right } = timelines;
  const times = useTimes(left.spans, right.spans);
  const onZoom = (zoom: Period | undefined) => {
    setZoom(zoom);
    host.keep({ zoom });
  };
  const columns = columnsOf([...left.spans, ...right.spans]);
  return (
    <section aria-labelledby="timelines">
      <div class="heading">
        <h2 id="timelines">{l10n.t("Timelines")}</h2>
        {zoom !== undefined && (
          <button type="button" class="link" onClick={() => onZoom(undefined)}>
            {l10n.t("Show the Whole Time")}
          </button>
        )}
      </div>
      {sides.map((side) => (
        <div key={side} class={`timeline-of ${side}`}>
          <h3>{executions[side].name}</h3>
          <Timeline
            key={timelines[side].localId}
            view={{ ...timelines[side], title: executions[side].name }}
            look={lookAt(timelines[side].localId, host.kept.looks?.[side])}
            onLook={(look) => host.keep({ looks: { ...host.kept.looks, [side]: look } })}
            onReveal={(span) => onReveal(side, span)}
            shared={{ ...times, zoom, onZoom, columns }}
            isSmall
          />
        </div>
      ))}
    </section>
  );
}

function reveal(outputs: readonly ComparedRow[], side: Side, taskId: string | undefined): void {
  if (taskId === undefined) return;
  const output = outputs.find(({ taskIds }) => taskIds?.[side] === taskId);
  const row = output && document.getElementById(`outputs ${output.id}`);
  row?.scrollIntoView({ block: "center" });
  row?.querySelector("button")?.focus({ preventScroll: true });
}

/** Another execution is looked at from its beginning. */
function keepPair(pair: Sides<string>): void {
  const before = Object.values(host.kept.pair ?? {});
  const isSame = sides.every((side) => before.includes(pair[side]));
  host.keep({ pair, ...(!isSame && { zoom: undefined }) });
}

host.listen<ToComparison>({
  show({ model, timelines, pair }) {
    clock.set(timelines.left.now);
    keepPair(pair);
    draw(<Comparison {...{ model, timelines }} />);
  },
  missing: ({ text }) => draw(<p class="missing">{text}</p>),
});
