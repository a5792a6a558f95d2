import * as l10n from "@vscode/l10n";
import { useId, useState } from "preact/hooks";
import {
  type ComparedRow,
  onSides,
  type Side,
  sides,
  type ToComparison,
} from "../../views/comparison/messages.ts";
import type { Period } from "../../views/timeline/axis.ts";
import { lookAt } from "../../views/timeline/messages.ts";
import { clock } from "../clock.tsx";
import { draw, host } from "../host.ts";
import { Icon, LinkButton } from "../controls.tsx";
import { useTimes } from "../timeline/axis-head.tsx";
import { columnsOf } from "../timeline/row.tsx";
import { Timeline } from "../timeline/timeline.tsx";

type Shown = Pick<Extract<ToComparison, { readonly type: "show" }>, "model" | "timelines">;
type Compared = Shown["model"]["executions"];

function Comparison({ model, timelines }: Shown) {
  const { executions, figures, inputs, inputsNote, outputs } = model;
  const { left, right } = executions;
  const states = sides.map((side) => `${executions[side].name}: ${executions[side].label}`);
  return (
    <>
      <header>
        <h1 class="unseen">{l10n.t("{0} compared with {1}", right.name, left.name)}</h1>
        <div class="executions">
          <Execution execution={left} side="left" />
          <Execution execution={right} side="right" />
        </div>
        <p class="unseen" role="status">
          {states.join(", ")}
        </p>
      </header>
      <Table label={l10n.t("Figures")} rows={figures} executions={executions} />
      <Table label={l10n.t("Inputs")} rows={inputs} note={inputsNote} executions={executions} />
      <Table label={l10n.t("Outputs")} rows={outputs} executions={executions} />
      <Timelines
        key={`${timelines.left.localId} ${timelines.right.localId}`}
        {...{ model, timelines }}
      />
    </>
  );
}

function Execution({ execution, side }: { execution: Compared["left"]; side: Side }) {
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
      </p>
    </div>
  );
}

interface TableProps {
  readonly label: string;
  readonly rows: readonly ComparedRow[];
  readonly note?: string | undefined;
  readonly executions: Compared;
}

function Table({ label, rows, note, executions }: TableProps) {
  const id = useId();
  if (rows.length === 0 && note === undefined) return null;
  const different = rows.filter(({ isDifferent }) => isDifferent);
  return (
    <section aria-labelledby={id}>
      <div class="heading">
        <h2 id={id}>{label}</h2>
        <span class="faint">
          {note ?? l10n.t("{0} of {1} differ", different.length, rows.length)}
        </span>
      </div>
      {rows.length > 0 && (
        <div class="table">
          <table class="comparison" aria-labelledby={id}>
            <thead>
              <tr>
                <td />
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
                <tr key={row.id} class={row.isDifferent ? "different" : ""}>
                  <th scope="row">{row.label}</th>
                  {sides.map((side) => (
                    <td key={side}>
                      <Value value={row.values[side]} />
                    </td>
                  ))}
                  <td class="change">
                    {row.difference}
                    {row.opens && (
                      <LinkButton
                        label={l10n.t("Open")}
                        name={l10n.t("Open: {0}", row.label)}
                        message={{ type: "openOutput", id: row.id }}
                      />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Value({ value = "–" }: { readonly value: string | undefined }) {
  return value === "" ? <em>{l10n.t("empty")}</em> : <div class="plain">{value}</div>;
}

/** One above the other, each from its own start, with one axis and one zoom. */
function Timelines({ timelines, model: { executions } }: Shown) {
  const [zoom, onZoom] = useState<Period>();
  const { left, right } = timelines;
  const times = useTimes(left.spans, right.spans);
  const columns = columnsOf([...left.spans, ...right.spans]);
  return (
    <section aria-labelledby="timelines">
      <h2 id="timelines">{l10n.t("Timelines")}</h2>
      {sides.map((side) => (
        <div key={side} class={`timeline-of ${side}`}>
          <h3>{executions[side].name}</h3>
          <Timeline
            view={{ ...timelines[side], title: executions[side].name }}
            look={lookAt(timelines[side].localId)}
            shared={{ times, zoom, onZoom, columns }}
            isSmall
          />
        </div>
      ))}
    </section>
  );
}

host.listen<ToComparison>({
  show({ model, timelines }) {
    clock.set(timelines.left.now);
    host.keep({ pair: onSides(timelines, ({ localId }) => localId) });
    draw(<Comparison {...{ model, timelines }} />);
  },
  missing: ({ text }) => draw(<p class="missing">{text}</p>),
});
