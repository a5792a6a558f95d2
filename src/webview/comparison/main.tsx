import "../l10n.ts";
import * as l10n from "@vscode/l10n";
import { type ComponentChildren, render } from "preact";
import { useMemo } from "preact/hooks";
import {
  type ComparedExecution,
  type ComparedInput,
  type ComparisonModel,
  type Side,
  type Sides,
  sides,
  type ToComparison,
} from "../../views/comparison/messages.ts";
import type { Content } from "../../views/page/messages.ts";
import type { Span } from "../../views/timeline/messages.ts";
import { changedRow } from "../../views/comparison/diff-rows.ts";
import { ContentView } from "../page/content.tsx";
import { Elapsed } from "../page/elapsed.tsx";
import { Fold } from "../page/fold.tsx";
import { host } from "../page/host.ts";
import { StateIcon } from "../page/icons.tsx";
import { clock } from "../timeline/clock.ts";
import { KnownSpans, type WholeView } from "../timeline/known-spans.ts";
import { Outputs } from "./outputs.tsx";
import { Pieces } from "./side-by-side.tsx";
import { Timelines } from "./timelines.tsx";

interface ComparisonProps {
  readonly model: ComparisonModel;
  readonly timelines: ComponentChildren;
}

function Comparison({ model, timelines }: ComparisonProps) {
  const { executions, spoken, figures } = model;
  return (
    <>
      <header>
        <h1 class="unseen">
          {l10n.t("{0} compared with {1}", executions.right.name, executions.left.name)}
        </h1>
        <div class="executions">
          <Execution execution={executions.left} side="left" />
          <button type="button" class="secondary" onClick={() => host.post({ type: "swap" })}>
            {l10n.t("Swap")}
          </button>
          <Execution execution={executions.right} side="right" />
        </div>
        <p class="unseen" role="status">
          {spoken}
        </p>
      </header>
      <section aria-labelledby="figures">
        <h2 id="figures">{l10n.t("What Differs")}</h2>
        <ComparisonTable label={l10n.t("Figure")} executions={executions} id="figures">
          {figures.map(({ label, values, difference, isDifferent }) => (
            <tr key={label} class={isDifferent ? "different" : ""}>
              <th scope="row">{label}</th>
              {sides.map((side) => (
                <td key={side}>
                  {typeof values[side] === "number" ? (
                    <Elapsed elapsed={values[side]} />
                  ) : (
                    values[side]
                  )}
                </td>
              ))}
              <td class="change">{difference}</td>
            </tr>
          ))}
        </ComparisonTable>
      </section>
      <Inputs model={model} />
      {timelines}
      {model.outputs.length > 0 && <Outputs outputs={model.outputs} />}
    </>
  );
}

function Execution({ execution, side }: { execution: ComparedExecution; side: Side }) {
  const { name, crew, state, stateLabel, started } = execution;
  return (
    <div class="execution">
      <div class="title">
        <StateIcon state={state} />
        <h2>
          <button
            type="button"
            class="link"
            title={l10n.t("Open {0}", name)}
            onClick={() => host.post({ type: "open", side })}
          >
            {name}
          </button>
        </h2>
      </div>
      <p class="state">
        <strong>{stateLabel}</strong>
        <span>{crew}</span>
        <span>{started}</span>
        <button
          type="button"
          class="link"
          aria-label={l10n.t("Choose another execution instead of {0}", name)}
          onClick={() => host.post({ type: "choose", side })}
        >
          {l10n.t("Choose Another…")}
        </button>
      </p>
    </div>
  );
}

interface TableProps {
  /** The heading's. */
  readonly id: string;
  readonly label: string;
  readonly executions: ComparisonModel["executions"];
  readonly children: ComponentChildren;
}

function ComparisonTable({ id, label, executions, children }: TableProps) {
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
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function Inputs({ model: { inputs, inputsNote, executions } }: { model: ComparisonModel }) {
  const different = inputs.filter(({ isDifferent }) => isDifferent);
  const same = inputs.filter(({ isDifferent }) => !isDifferent);
  if (inputs.length === 0 && inputsNote === undefined) return null;
  return (
    <section aria-labelledby="inputs">
      <div class="heading">
        <h2 id="inputs">{l10n.t("Inputs")}</h2>
        {inputs.length > 0 && (
          <span class="faint">{l10n.t("{0} of {1} differ", different.length, inputs.length)}</span>
        )}
      </div>
      {inputsNote !== undefined && <p class="faint">{inputsNote}</p>}
      {different.length > 0 && (
        <ComparisonTable label={l10n.t("Input")} executions={executions} id="inputs">
          {different.map((input) => (
            <tr key={input.name} class="different">
              <th scope="row">{input.name}</th>
              <InputValues input={input} />
              <td class="change">{input.difference}</td>
            </tr>
          ))}
        </ComparisonTable>
      )}
      {same.length > 0 && (
        <div class="facts">
          <Fold
            id="same inputs"
            isOpen={false}
            label={l10n.t("Inputs that are the same ({0})", same.length)}
          >
            <dl>
              {same.map(({ name, values }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{values.left !== undefined && <Value content={values.left} />}</dd>
                </div>
              ))}
            </dl>
          </Fold>
        </div>
      )}
    </section>
  );
}

function InputValues({ input: { values } }: { input: ComparedInput }) {
  const { left, right } = values;
  const row = useMemo(
    () => left && right && changedRow(left.text, right.text),
    [left?.text, right?.text],
  );
  return (
    <>
      {sides.map((side) => {
        const content = values[side];
        return (
          <td key={side}>
            {row !== undefined ? (
              <Pieces side={side} pieces={row[side]} />
            ) : content === undefined ? (
              <span class="faint">{l10n.t("none")}</span>
            ) : (
              <Value content={content} />
            )}
          </td>
        );
      })}
    </>
  );
}

/** As it was given, not as Markdown. */
function Value({ content }: { content: Content }) {
  return content.kind === "json" ? (
    <ContentView content={content} />
  ) : (
    <div class="plain">{content.text}</div>
  );
}

const place = document.querySelector("main") ?? document.body;
const known = { left: new KnownSpans(), right: new KnownSpans() };
let views: Sides<WholeView> | undefined;
let shown: Extract<ToComparison, { readonly type: "show" | "missing" }> | undefined;

function draw(): void {
  if (shown === undefined) return;
  const isFirst = place.childElementCount === 0;
  const content =
    shown.type === "missing" ? (
      <p class="missing">{shown.text}</p>
    ) : (
      <Comparison
        model={shown.model}
        timelines={
          views !== undefined && (
            <Timelines
              key={`${views.left.localId} ${views.right.localId}`}
              views={views}
              onReveal={revealTask}
            />
          )
        }
      />
    );
  render(content, place);
  if (isFirst) document.scrollingElement?.scrollTo({ top: host.kept.scroll });
}

function revealTask(side: Side, { taskId }: Span): void {
  if (shown?.type !== "show" || taskId === undefined) return;
  const output = shown.model.outputs.find(({ tasks }) => tasks[side]?.taskId === taskId);
  const task = output && document.getElementById(output.id);
  const fold = task?.querySelector("details");
  if (fold) fold.open = true;
  task?.scrollIntoView({ block: "start" });
  task?.querySelector("summary")?.focus({ preventScroll: true });
}

/** Another execution is looked at from its beginning. */
function keepPair(pair: Sides<string>): void {
  const before = Object.values(host.kept.pair ?? {});
  const isSame = sides.every((side) => before.includes(pair[side]));
  host.keep({ pair, ...(!isSame && { zoom: undefined }) });
}

window.addEventListener("message", ({ data }: MessageEvent<ToComparison>) => {
  switch (data.type) {
    case "timelines":
      clock.set(data.views.left.now);
      views = {
        left: known.left.whole(data.views.left),
        right: known.right.whole(data.views.right),
      };
      // The model follows.
      return;
    case "show":
      shown = data;
      keepPair(data.pair);
      break;
    case "missing":
      shown = data;
      break;
  }
  draw();
});
window.addEventListener("scroll", () => host.keep({ scroll: window.scrollY }), { passive: true });

host.post({ type: "ready" });
