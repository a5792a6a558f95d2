import * as l10n from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { shortName } from "../../base/text.ts";
import { type Entry, headingOf } from "../../view/conversation.ts";
import { formatSpan, formatTokens, present } from "../../view/words.ts";
import type { CallModel } from "../../views/page/calls.ts";
import type { PageTask, Review } from "../../views/page/model.ts";
import { Facts, Icon, LinkButton } from "../controls.tsx";
import { host } from "../host.ts";
import { ContentView, Fold, Markdown } from "./content.tsx";
import { isSame, Output } from "./review.tsx";

interface TaskProps {
  readonly task: PageTask;
  readonly review: Review | undefined;
  readonly isWithTools: boolean;
}

export function Task({ task, ...more }: TaskProps) {
  const { taskId, name, agent = "", state, label, facts, attempts, note } = task;
  const about = [label, shortName(agent), ...facts].filter(Boolean).join(" · ");
  const summary = (
    <>
      <Icon name={state} />
      <div class="about-task">
        <h3>{name}</h3>
        <span class="faint">{about}</span>
      </div>
    </>
  );
  if (attempts.length === 0 && note === undefined)
    return (
      <li class="task">
        <div class="summary">{summary}</div>
      </li>
    );
  return (
    <li class={`task ${state}`}>
      <Fold
        id={`task ${taskId}`}
        isOpen={state === "running" || state === "failed"}
        label={summary}
      >
        {note !== undefined && <p class="faint">{note}</p>}
        {attempts.map((attempt) => (
          <Attempt key={attempt.number} {...{ task, attempt, ...more }} />
        ))}
      </Fold>
    </li>
  );
}

function Attempt(props: TaskProps & { readonly attempt: PageTask["attempts"][number] }) {
  const { task, review, attempt, isWithTools } = props;
  const { number, output, previous, feedback, steps, stepCount, note } = attempt;
  const { taskId, state, attempts } = task;
  const isLast = attempt === attempts.at(-1);
  const isOnly = attempts.length === 1;
  // Its output is shown where it is answered.
  const isInReview = review !== undefined && isSame(review, { taskId, attempt: number });
  const body = (
    <div class="attempt">
      {steps.length > 0 && (
        <Fold
          id={`steps ${number} ${taskId}`}
          isOpen={state === "running" && isLast}
          label={l10n.t("Steps ({0})", stepCount)}
        >
          <ol class="steps">
            {steps.map((step) => (
              <li key={step.id}>
                <StepView {...{ step, isWithTools }} isRunning={state === "running"} />
              </li>
            ))}
          </ol>
        </Fold>
      )}
      {isInReview && <p class="faint">{l10n.t("The output is shown above.")}</p>}
      {!isInReview && (output !== undefined || feedback.length > 0 || state !== "running") && (
        <Output
          {...{ output, taskId }}
          attempt={number}
          earlier={attempts.find((each) => each.number === previous)}
        />
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

/** @param props `isRunning`: its task is */
function StepView(
  props: Pick<TaskProps, "isWithTools"> & {
    step: PageTask["attempts"][number]["steps"][number];
    isRunning: boolean;
  },
) {
  const { step, isRunning, isWithTools } = props;
  const { id, tool, model, picture, start, end, error, isInterrupted, tokens } = step;
  const kind = tool !== undefined ? "tool" : model !== undefined ? "model" : "thought";
  const [icon, state] = isInterrupted
    ? (["interrupted", l10n.t("interrupted")] as const)
    : error !== undefined
      ? (["failed", l10n.t("failed")] as const)
      : end === undefined && isRunning
        ? (["running", l10n.t("running")] as const)
        : ([kind] as const);
  const called = tool ?? model;
  const time = end !== undefined && called !== undefined && formatSpan(end - start, "fine");
  const summary = (
    <>
      <Icon name={icon} />
      <span class="name">
        {called ?? (picture === undefined ? l10n.t("Thought") : l10n.t("Picture"))}
      </span>
      <span class="faint">{present(time, tokens && formatTokens(tokens), state).join(" · ")}</span>
    </>
  );
  const texts = (...all: readonly (readonly [string, string | undefined])[]) => {
    const known = all.flatMap(([label, text]) =>
      text === undefined ? [] : [[label, <div class="plain">{text}</div>] as const],
    );
    return known.length > 0 && <Facts rows={known} />;
  };
  const [given, made] =
    model === undefined
      ? [l10n.t("Arguments"), l10n.t("Result")]
      : [l10n.t("Prompt"), l10n.t("Answer")];
  const about = texts([l10n.t("Thought"), step.thought], [l10n.t("Error"), error]);
  const said = texts([given, step.arguments], [made, step.result]);
  if (called !== undefined || (picture === undefined && (about || said)))
    return (
      <Fold id={`step ${id}`} label={summary}>
        {about}
        {called === undefined ? said : <CallView key={end} span={id} children={said} />}
        {tool !== undefined && isWithTools && (
          <p class="tools">
            <LinkButton
              label={l10n.t("Ask Before This Tool")}
              message={{ type: "askBefore", tool }}
            />
          </p>
        )}
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

/** Those that were read, by the IDs of their spans. */
export const calls = new Map<string, CallModel>();

/** Who said what in a call, which is read when it is shown. @param props `children`: what its events say, without it */
function CallView(props: { span: string; children: ComponentChildren }) {
  const { span, children } = props;
  const call = calls.get(span);
  useEffect(() => host.post({ type: "call", span }), [span]);
  if (call === undefined) return children;
  const { facts, actions, said = { tools: [], asked: [], answered: [] } } = call;
  const labels = {
    compareCalls: l10n.t("What Changed Since the Last Call"),
    copyCall: l10n.t("Copy as JSON"),
    copyCallAsCurl: l10n.t("Copy as cURL"),
  };
  const entries = (of: readonly Entry[], place: string) =>
    of.map((entry, at) => (
      <Fold
        key={at}
        id={`${place} ${at} ${span}`}
        isOpen={!/^(system|developer|tool)$/.test(entry.role)}
        label={<strong>{headingOf(entry)}</strong>}
      >
        {/* It scrolls. As it was sent: Markdown has other line breaks. */}
        <div class="said" tabIndex={0}>
          <ContentView text={entry.text} isInput />
        </div>
      </Fold>
    ));
  return (
    <div class="call">
      <p class="faint">{facts.join(" · ")}</p>
      <p class="tools">
        {actions.map((action) => (
          <LinkButton
            key={action}
            label={labels[action]}
            message={{ type: "call", span, action }}
          />
        ))}
      </p>
      {call.said === undefined && children}
      {said.tools.length > 0 && (
        <Fold id={`tools ${span}`} label={<strong>{l10n.t("Tools Offered")}</strong>}>
          {entries(said.tools, "tool")}
        </Fold>
      )}
      {entries(said.asked, "asked")}
      <div class="answered">{entries(said.answered, "answered")}</div>
    </div>
  );
}
