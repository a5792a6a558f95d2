import * as l10n from "@vscode/l10n";
import { shortName } from "../../base/text.ts";
import { formatSpan } from "../../view/lengths.ts";
import type { AttemptView, TaskView } from "../../view/tasks.ts";
import type { Review } from "../../views/page/messages.ts";
import { mostSteps } from "../../views/page/content.ts";
import { Icon, LinkButton } from "../controls.tsx";
import { Fold, Level, Markdown } from "./content.tsx";
import { Output } from "./review.tsx";

/** A task with its attempts and steps; one that has not begun is only named. */
export function Task({ task, review }: { task: TaskView; review: Review | undefined }) {
  const { taskId, name, agent = "", state, label, facts, attempts, note } = task;
  const about = [label, shortName(agent), ...facts].filter(Boolean).join(" · ");
  const summary = (
    <>
      <Icon name={state} />
      <h3>{name}</h3>
      <span class="faint">{about}</span>
    </>
  );
  if (attempts.length === 0 && note === undefined)
    return (
      <li class="task">
        <div class="summary">{summary}</div>
      </li>
    );
  const last = attempts.at(-1)?.number;
  return (
    <li class={`task ${state}`}>
      <Fold
        id={`task ${taskId}`}
        isOpen={state === "running" || state === "failed"}
        label={summary}
      >
        {note !== undefined && <p class="faint">{note}</p>}
        {attempts.map((attempt) => (
          <Attempt
            key={attempt.number}
            {...{ task, attempt }}
            isLast={attempt.number === last}
            isInReview={review?.taskId === taskId && review.attempt === attempt.number}
          />
        ))}
      </Fold>
    </li>
  );
}

interface AttemptProps {
  readonly task: TaskView;
  readonly attempt: AttemptView;
  readonly isLast: boolean;
  /** Its output is shown above, where it is answered. */
  readonly isInReview: boolean;
}

function Attempt({ task, attempt, isLast, isInReview }: AttemptProps) {
  const { number, output, previous, feedback, steps, note } = attempt;
  const { taskId, state } = task;
  const earlier = task.attempts.find((each) => each.number === previous);
  const parts = (
    <>
      {steps.length > 0 && (
        <Fold
          id={`steps ${number} ${taskId}`}
          isOpen={state === "running" && isLast}
          label={
            steps.length > mostSteps
              ? l10n.t("Steps (the last {0})", mostSteps)
              : l10n.t("Steps ({0})", steps.length)
          }
        >
          <ol class="steps">
            {steps.slice(-mostSteps).map((step) => (
              <li key={step.id}>
                <StepView step={step} />
              </li>
            ))}
          </ol>
        </Fold>
      )}
      {isInReview ? (
        <p class="faint">
          {state === "waiting" ? l10n.t("Waits for you, above.") : l10n.t("Shown above.")}
        </p>
      ) : (
        (output !== undefined || feedback.length > 0 || state !== "running") && (
          <Output {...{ output, earlier, taskId }} attempt={number} />
        )
      )}
      {note !== undefined && <p class="faint">{note}</p>}
      {feedback.map(({ title, kind, text, outcome }, at) => (
        <div class="given" key={at}>
          <p class="title">
            <Icon name={kind} /> {title}
          </p>
          <div class="plain">{text}</div>
          <div class="outcome">
            <Markdown text={outcome} />
          </div>
        </div>
      ))}
    </>
  );
  const isOnly = task.attempts.length === 1;
  const body = (
    <div class="attempt">
      <Level.Provider value={isOnly ? 3 : 4}>{parts}</Level.Provider>
    </div>
  );
  if (isOnly) return body;
  return (
    <Fold
      id={`attempt ${number} ${taskId}`}
      isOpen={isLast}
      label={
        <>
          <h4>{l10n.t("Attempt {0}", number)}</h4>
          <span class="faint">{feedback.at(-1)?.title}</span>
        </>
      }
    >
      {body}
    </Fold>
  );
}

function StepView({ step }: { readonly step: AttemptView["steps"][number] }) {
  const { id, tool, picture, start, end, error } = step;
  const state =
    step.isInterrupted === true
      ? "interrupted"
      : error !== undefined
        ? "failed"
        : end === undefined
          ? "running"
          : undefined;
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
  const texts = [
    [l10n.t("Thought"), step.thought],
    [l10n.t("Arguments"), step.arguments],
    [l10n.t("Result"), step.result],
    [l10n.t("Error"), error],
  ].filter(([, text]) => text !== undefined);
  if (picture === undefined && texts.length > 0)
    return (
      <Fold id={`step ${id}`} isOpen={false} label={summary}>
        <dl>
          {texts.map(([label, text]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd class="plain">{text}</dd>
            </div>
          ))}
        </dl>
      </Fold>
    );
  return (
    <div class="summary">
      {summary}
      {picture !== undefined && (
        <LinkButton
          label={l10n.t("Open Picture")}
          message={{ type: "act", action: "openOutput", picture: id }}
        />
      )}
    </div>
  );
}
