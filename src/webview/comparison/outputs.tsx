import * as l10n from "@vscode/l10n";
import { type ComparedOutput, type Side, sides } from "../../views/comparison/messages.ts";
import { ContentView, Level } from "../page/content.tsx";
import { Fold } from "../page/fold.tsx";
import { Difference } from "../difference.tsx";
import { host } from "../host.ts";
import { Icon } from "../icons.tsx";

/** More open ones would make the page slow to begin. */
const mostOpen = 5;

export function Outputs({ outputs }: { readonly outputs: readonly ComparedOutput[] }) {
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
