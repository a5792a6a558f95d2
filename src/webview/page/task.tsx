import * as l10n from "@vscode/l10n";
import { shortName } from "../../base/text.ts";
import { formatSpan } from "../../view/lengths.ts";
import type { PageAttempt, PageTask } from "../../views/page/messages.ts";
import { ContentView, Level, Markdown } from "./content.tsx";
import { Fold } from "./fold.tsx";
import { Icon } from "../icons.tsx";
import { host } from "../host.ts";
import { Output } from "./review.tsx";

/** A task with its attempts and steps; one that has not begun is only named. */
export function Task({ task }: { readonly task: PageTask }) {
  const { taskId, name, agent = "", state, label, facts, attempts, note } = task;
  const isBegun = attempts.length > 0 || note !== undefined;
  const about = [label, shortName(agent), ...facts].filter(Boolean).join(" · ");
  const summary = (
    <>
      <Icon name={state} />
      <h3>{name}</h3>
      <span class="faint">{about}</span>
    </>
  );
  if (!isBegun)
    return (
      <li class="task">
        <div class="summary">{summary}</div>
      </li>
    );
  const last = attempts.at(-1)?.number;
  const hasDraft = attempts.some(({ oldDraft }) => oldDraft !== undefined);
  return (
    <li class={`task ${state}`}>
      <Fold
        id={`task ${taskId}`}
        isOpen={state === "running" || state === "failed" || hasDraft}
        label={summary}
      >
        {note !== undefined && <p class="faint">{note}</p>}
        {attempts.map((attempt) => (
          <Attempt
            key={attempt.number}
            task={task}
            attempt={attempt}
            isLast={attempt.number === last}
          />
        ))}
      </Fold>
    </li>
  );
}

interface AttemptProps {
  readonly task: PageTask;
  readonly attempt: PageAttempt;
  readonly isLast: boolean;
}

function Attempt({ task, attempt, isLast }: AttemptProps) {
  const { number, content, previous, isInReview, feedback, oldDraft, steps, note } = attempt;
  const earlier = task.attempts.find((each) => each.number === previous);
  const parts = (
    <>
      {steps.length > 0 && (
        <Steps
          id={`steps ${number} ${task.taskId}`}
          attempt={attempt}
          isOpen={task.state === "running" && isLast}
        />
      )}
      {isInReview ? (
        <p class="faint">{l10n.t("Waits for you, above.")}</p>
      ) : (
        (content !== undefined || feedback.length > 0 || task.state !== "running") && (
          <Output content={content} earlier={earlier} taskId={task.taskId} attempt={number} />
        )
      )}
      {note !== undefined && <p class="faint">{note}</p>}
      {feedback.map(({ title, kind, content: given, outcome }, at) => (
        <div class="given" key={at}>
          <p class="title">
            <Icon name={kind} /> {title}
          </p>
          <ContentView content={given} />
          <div class="outcome">
            <Markdown text={outcome} />
          </div>
        </div>
      ))}
      {oldDraft !== undefined && (
        <div class="given">
          <p class="title">{l10n.t("Written, but not sent")}</p>
          <div class="plain">{oldDraft}</div>
          <p class="tools">
            {(["copy", "discard"] as const).map((action) => (
              <button
                key={action}
                type="button"
                class="link"
                onClick={() =>
                  host.post({ type: "oldDraft", action, taskId: task.taskId, attempt: number })
                }
              >
                {action === "copy" ? l10n.t("Copy") : l10n.t("Discard…")}
              </button>
            ))}
          </p>
        </div>
      )}
    </>
  );
  if (task.attempts.length === 1)
    return (
      <div class="attempt">
        <Level.Provider value={3}>{parts}</Level.Provider>
      </div>
    );
  const last = feedback.at(-1);
  return (
    <Fold
      id={`attempt ${number} ${task.taskId}`}
      isOpen={isLast || oldDraft !== undefined}
      label={
        <>
          <h4>{l10n.t("Attempt {0}", number)}</h4>
          <span class="faint">{last?.title}</span>
        </>
      }
    >
      <div class="attempt">
        <Level.Provider value={4}>{parts}</Level.Provider>
      </div>
    </Fold>
  );
}

interface StepsProps {
  readonly id: string;
  readonly attempt: PageAttempt;
  readonly isOpen: boolean;
}

function Steps({ id, attempt: { steps, hiddenSteps }, isOpen }: StepsProps) {
  return (
    <Fold id={id} isOpen={isOpen} label={l10n.t("Steps ({0})", steps.length + hiddenSteps)}>
      {hiddenSteps > 0 && (
        <p class="faint">{l10n.t("{0} earlier steps are not shown.", hiddenSteps)}</p>
      )}
      <ol class="steps">
        {steps.map((step) => (
          <li key={step.id}>
            <StepView step={step} />
          </li>
        ))}
      </ol>
    </Fold>
  );
}

type Step = PageAttempt["steps"][number];

function stateOf({ end, isInterrupted, error }: Step) {
  if (isInterrupted === true) return "interrupted";
  if (error !== undefined) return "failed";
  return end === undefined ? "running" : undefined;
}

function StepView({ step }: { readonly step: Step }) {
  const { id, tool, picture, start, end } = step;
  const state = stateOf(step);
  const states = {
    running: l10n.t("running"),
    failed: l10n.t("failed"),
    interrupted: l10n.t("interrupted"),
  };
  const time = end !== undefined && tool !== undefined && formatSpan(end - start, "fine");
  const summary = (
    <>
      <Icon name={state ?? (tool === undefined ? "thought" : "tool")} />
      <span class="name">
        {tool ?? (picture === undefined ? l10n.t("Thought") : l10n.t("Picture"))}
      </span>
      <span class="faint">{[time, state && states[state]].filter(Boolean).join(" · ")}</span>
    </>
  );
  const parts = [
    { label: l10n.t("Thought"), text: step.thought },
    { label: l10n.t("Arguments"), text: step.arguments },
    { label: l10n.t("Result"), text: step.result },
    { label: l10n.t("Error"), text: step.error },
  ].flatMap(({ label, text }) => (text === undefined ? [] : [{ label, text }]));
  if (picture !== undefined)
    return (
      <div class="summary">
        {summary}
        <button
          type="button"
          class="link"
          onClick={() => host.post({ type: "act", action: "openOutput", picture: id })}
        >
          {l10n.t("Open Picture")}
        </button>
      </div>
    );
  if (parts.length === 0) return <div class="summary">{summary}</div>;
  return (
    <Fold id={`step ${id}`} isOpen={false} label={summary}>
      <dl>
        {parts.map(({ label, text }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd class="plain">{text}</dd>
          </div>
        ))}
      </dl>
    </Fold>
  );
}
