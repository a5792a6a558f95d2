import * as l10n from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import {
  type ComparedExecution,
  type ComparedInput,
  type ComparedOutput,
  type ComparisonModel,
  type Side,
  type Sides,
  sides,
  type ToComparison,
} from "../../views/comparison/messages.ts";
import { type Span, type WholeView, wholeView } from "../../views/timeline/messages.ts";
import { clock, Elapsed } from "../clock.tsx";
import { Difference, OneSide } from "../difference.tsx";
import { draw, host } from "../host.ts";
import { ContentView, Level, ValueView } from "../page/content.tsx";
import { Fold } from "../page/fold.tsx";
import { Icon } from "../icons.tsx";
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
  const { name, crew, state, label, started } = execution;
  return (
    <div class="execution">
      <div class="title">
        <Icon name={state} />
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
        <strong>{label}</strong>
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
                  <dd>{values.left !== undefined && <ValueView content={values.left} />}</dd>
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
  return (
    <>
      {sides.map((side) => {
        const content = values[side];
        return (
          <td key={side}>
            {left !== undefined && right !== undefined ? (
              <div class="plain">
                <OneSide before={left.text} after={right.text} side={side} />
              </div>
            ) : content === undefined ? (
              <span class="faint">{l10n.t("none")}</span>
            ) : (
              <ValueView content={content} />
            )}
          </td>
        );
      })}
    </>
  );
}

/** More open ones would make the page slow to begin. */
const mostOpen = 5;

function Outputs({ outputs }: { readonly outputs: readonly ComparedOutput[] }) {
  const different = outputs.filter(({ status }) => status === "different");
  const single = outputs.filter(({ status }) => status === "single");
  const open = new Set(different.slice(0, mostOpen));
  return (
    <section aria-labelledby="outputs">
      <div class="heading">
        <h2 id="outputs">{l10n.t("Outputs")}</h2>
        <span class="faint">
          {l10n.t("{0} of {1} differ", different.length + single.length, outputs.length)}
        </span>
      </div>
      <ol class="tasks">
        {outputs.map((output) => (
          <li class="task" key={output.id} id={output.id}>
            <Fold
              id={output.id}
              isOpen={open.has(output)}
              label={
                <>
                  <h3>{output.name}</h3>
                  <span class="faint">{output.facts.join(" · ")}</span>
                </>
              }
            >
              <Output output={output} />
            </Fold>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Output({ output }: { readonly output: ComparedOutput }) {
  const { id, name, tasks, status } = output;
  const [left, right] = [tasks.left?.output, tasks.right?.output];
  return (
    <div class="compared">
      <div class="columns">
        {sides.map((side) => (
          <About key={side} output={output} side={side} />
        ))}
      </div>
      {left === undefined || right === undefined ? (
        <div class="columns">
          {sides.map((side) => (
            <Alone key={side} output={output} side={side} />
          ))}
        </div>
      ) : status === "same" ? (
        <>
          <p class="faint">{l10n.t("The outputs are the same.")}</p>
          <Level.Provider value={3}>
            <ContentView content={left} />
          </Level.Provider>
        </>
      ) : left.cutFrom === undefined && right.cutFrom === undefined ? (
        <Difference before={left.text} after={right.text} />
      ) : (
        <p class="faint">{l10n.t("These outputs are too large to be compared here.")}</p>
      )}
      {status === "different" && (
        <p class="tools">
          <button
            type="button"
            class="secondary"
            aria-label={l10n.t("Open Diff of {0}", name)}
            title={l10n.t("Open Diff of {0}", name)}
            onClick={() => host.post({ type: "openDiff", id })}
          >
            {l10n.t("Open Diff")}
          </button>
        </p>
      )}
    </div>
  );
}

/** What this side did for the output. */
function About({ output, side }: { readonly output: ComparedOutput; readonly side: Side }) {
  const task = output.tasks[side];
  if (task === undefined) return <p class="faint">{l10n.t("This execution has no such task.")}</p>;
  return (
    <p class="about-task">
      {task.state !== undefined && <Icon name={task.state} />}
      <span class="faint">{task.facts.join(" · ")}</span>
    </p>
  );
}

function Alone({ output, side }: { readonly output: ComparedOutput; readonly side: Side }) {
  const { output: content, note } = output.tasks[side] ?? {};
  return (
    <Level.Provider value={3}>
      <div>
        {content !== undefined && (
          <ContentView
            content={content}
            open={() => host.post({ type: "openOutput", id: output.id, side })}
          />
        )}
        {note !== undefined && <p class="faint">{note}</p>}
      </div>
    </Level.Provider>
  );
}

let views: Sides<WholeView> | undefined;

function revealTask({ outputs }: ComparisonModel, side: Side, { taskId }: Span): void {
  if (taskId === undefined) return;
  const output = outputs.find(({ tasks }) => tasks[side]?.taskId === taskId);
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

host.listen<ToComparison>({
  timelines({ views: { left, right } }) {
    clock.set(left.now);
    views = { left: wholeView(left, views?.left), right: wholeView(right, views?.right) };
    // The model follows.
  },
  show({ model, pair }) {
    keepPair(pair);
    draw(
      <Comparison
        model={model}
        timelines={
          views !== undefined && (
            <Timelines
              key={`${views.left.localId} ${views.right.localId}`}
              views={views}
              onReveal={(side, span) => revealTask(model, side, span)}
            />
          )
        }
      />,
    );
  },
  missing: ({ text }) => draw(<p class="missing">{text}</p>),
});
