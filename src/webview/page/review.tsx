import * as l10n from "@vscode/l10n";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AttemptView } from "../../view/tasks.ts";
import { mostCharacters } from "../../views/page/content.ts";
import type { FromPage, PageDraft, Review } from "../../views/page/messages.ts";
import { clock } from "../clock.tsx";
import { ContentView, Level, Markdown } from "./content.tsx";
import { host } from "../host.ts";
import { Icon, LinkButton } from "../controls.tsx";

type Draft = Pick<PageDraft, "text" | "number">;

interface ReviewProps {
  readonly review: Review;
  readonly draft: Draft;
  readonly earlier: AttemptView | undefined;
  /** What the person sent from here is under way. */
  readonly isPressed: boolean;
  readonly onPress: () => void;
}

/** The output that waits, with what a person can answer beside it. */
export function ReviewSection({ review, draft, earlier, isPressed, onPress }: ReviewProps) {
  const { taskId, name, attempt, agent, output, status, note } = review;
  const section = useRef<HTMLElement>(null);
  const target = `${attempt} ${taskId}`;
  const shown = useRef(target);
  useLayoutEffect(() => {
    const element = section.current;
    if (element === null || shown.current === target) return;
    shown.current = target;
    // The next draft comes into view where the one before was, if its end was still being read.
    const { top, bottom } = element.getBoundingClientRect();
    if (top < 0 && bottom > 0) element.scrollIntoView({ block: "start" });
  }, [target]);
  const isAgain = status === "again";
  const asks =
    review.answers === undefined ? l10n.t("To review: {0}", name) : l10n.t("Asks you: {0}", name);
  return (
    <section class={`review ${status}`} aria-labelledby="review" ref={section}>
      <div class="draft">
        <div class="heading">
          <h2 id="review" tabIndex={-1}>
            {isAgain ? l10n.t("Runs again: {0}", name) : asks}
          </h2>
          <span class="faint">
            {[l10n.t("Attempt {0}", attempt), agent].filter(Boolean).join(" · ")}
          </span>
        </div>
        <Level.Provider value={2}>
          <Output {...{ output, earlier, taskId, attempt }} />
        </Level.Provider>
      </div>
      <div class="decision">
        {note !== undefined && <Markdown text={note} />}
        {review.action !== undefined && <ActButton action={review.action} />}
        {(status === "waits" || status === "answered" || status === "sending") && (
          <Decision
            key={target}
            {...{ review, draft }}
            isSending={isPressed || status === "sending"}
            onPress={onPress}
          />
        )}
        {isAgain && (
          <p class="running">
            <Icon name="running" />{" "}
            {l10n.t("The task runs again with your feedback. Its next output appears here.")}
          </p>
        )}
      </div>
    </section>
  );
}

interface OutputProps {
  readonly output: string | undefined;
  /** The attempt before, with its output. */
  readonly earlier: AttemptView | undefined;
  readonly taskId: string;
  readonly attempt: number;
}

/** An attempt's output, with what was asked for after the one before. */
export function Output({ output, earlier, taskId, attempt }: OutputProps) {
  if (output === undefined)
    return <p class="faint">{l10n.t("The crew has not returned this output.")}</p>;
  const about = { type: "act", taskId, attempt } as const;
  const asked = earlier?.feedback.findLast(({ kind }) => kind === "rejected");
  const before = earlier?.output;
  // Longer ones are cut.
  const isSame = before?.trim() === output.trim() && output.length < mostCharacters;
  return (
    <>
      {earlier !== undefined && asked !== undefined && (
        <div class="given">
          <p class="title">{l10n.t("You asked after attempt {0}:", earlier.number)}</p>
          <div class="plain">{asked.text}</div>
        </div>
      )}
      {earlier !== undefined && isSame && (
        <p class="faint">{l10n.t("The same text as attempt {0}.", earlier.number)}</p>
      )}
      <ContentView text={output} />
      <p class="tools">
        {earlier !== undefined && before !== undefined && !isSame && (
          <LinkButton
            label={l10n.t("Compare with Attempt {0}", earlier.number)}
            message={{ ...about, action: "compareAttempts" }}
          />
        )}
        <LinkButton
          label={l10n.t("Open as Document")}
          message={{ ...about, action: "openOutput" }}
        />
      </p>
    </>
  );
}

export function ActButton({ action }: { readonly action: NonNullable<Review["action"]> }) {
  const { verb, label } = action;
  return (
    <button
      type="button"
      class="secondary"
      aria-disabled={verb === undefined}
      onClick={() => verb !== undefined && host.post({ type: "act", action: verb })}
    >
      {label}
    </button>
  );
}

type Kind = Extract<FromPage, { readonly type: "answer" }>["kind"];

interface DecisionProps extends Pick<ReviewProps, "review" | "draft" | "onPress"> {
  readonly isSending: boolean;
}

/** The last keystroke in the box of this output, if it isn't stored. */
function unsavedIn({ taskId, attempt }: Review, draft: Draft) {
  const { unsaved } = host.kept;
  const isOwn = unsaved?.taskId === taskId && unsaved.attempt === attempt;
  const isNewer = isOwn && unsaved.text !== draft.text && unsaved.number > draft.number;
  return isNewer ? unsaved : undefined;
}

/** The feedback box, whose every keystroke reaches the extension, and the buttons that send. */
function Decision({ review, draft, isSending, onPress }: DecisionProps) {
  const { taskId, attempt, status, goesTo, answers } = review;
  const [unsaved] = useState(() => unsavedIn(review, draft));
  const [text, setText] = useState(unsaved?.text ?? draft.text);
  const [hint, setHint] = useState("");
  const box = useRef<HTMLTextAreaElement>(null);
  /** Increases with each keystroke, also after the page was hidden. */
  const number = useRef(unsaved?.number ?? 0);
  const id = useId();
  useEffect(() => {
    if (unsaved !== undefined) host.post(unsaved);
  }, [unsaved]);
  useEffect(() => {
    if (unsavedIn(review, draft) === undefined) host.keep({ unsaved: undefined });
    // The draft may have been changed elsewhere, but not while it is edited here.
    if (draft.number >= number.current && document.activeElement !== box.current)
      setText(draft.text);
  }, [draft.text, draft.number]);
  const isEmpty = text.trim() === "";
  const typed = (value: string) => {
    setText(value);
    setHint("");
    number.current = Math.max(clock.now(), number.current + 1, draft.number + 1);
    const written = { taskId, attempt, text: value, number: number.current };
    const keystroke = { type: "draft", ...written } as const;
    host.keep({ unsaved: keystroke });
    host.post(keystroke);
  };
  const texts =
    answers === undefined
      ? {
          label: l10n.t("Feedback"),
          placeholder: l10n.t("What is good, what should be different?"),
          missing: l10n.t("Write your feedback first."),
          left: l10n.t("Clear the feedback to approve without it, or use “Approve with Note”."),
        }
      : {
          label:
            answers.length > 0
              ? l10n.t("Choose an answer, or write another")
              : l10n.t("Your answer"),
          placeholder: l10n.t("The flow continues with it."),
          missing: l10n.t("Write your answer first."),
          left: l10n.t("Clear what you wrote to choose an answer, or use “Send Answer”."),
        };
  /** What is in the box or, for buttons that need it empty, what the button stands for. */
  const send = (kind: Kind, given?: string) => {
    if (isSending) return;
    if (isEmpty === (given !== undefined)) {
      onPress();
      host.post({ type: "answer", taskId, attempt, kind, text: given ?? text });
    } else {
      setHint(isEmpty ? texts.missing : texts.left);
      box.current?.focus();
    }
  };
  const button = (kind: Kind, label: string, isPrimary: boolean, given?: string) => (
    <button
      key={given ?? kind}
      type="button"
      class={isPrimary ? "primary" : "secondary"}
      aria-disabled={isSending || isEmpty !== (given !== undefined)}
      onClick={() => send(kind, given)}
    >
      {label}
    </button>
  );
  return (
    <>
      <div class="label">
        <label for={id}>{texts.label}</label>
        <button
          type="button"
          class="link"
          aria-disabled={isSending}
          onClick={() => isSending || host.post({ type: "insert", taskId, attempt })}
        >
          {l10n.t("Insert Canned Answer…")}
        </button>
      </div>
      <textarea
        id={id}
        class="feedback"
        ref={box}
        value={text}
        placeholder={texts.placeholder}
        readOnly={isSending}
        aria-describedby={`${id}-about`}
        onInput={({ currentTarget }) => typed(currentTarget.value)}
        onBlur={() => host.post({ type: "leave" })}
      />
      {answers === undefined ? (
        <div class="buttons">
          {status !== "answered" && button("approve", l10n.t("Approve"), isEmpty, "")}
          {button("approveWithNote", l10n.t("Approve with Note"), !isEmpty)}
          {button("reject", l10n.t("Reject"), false)}
        </div>
      ) : (
        <div class="buttons">
          {answers.map(({ label, text: given }) => button("answer", label, false, given))}
          {button("answer", l10n.t("Send Answer"), !isEmpty)}
        </div>
      )}
      <p class="hint" role="status">
        {isSending ? l10n.t("Sending…") : hint}
      </p>
      <p class="about" id={`${id}-about`}>
        {goesTo} {l10n.t("Saved on this machine as you type. Nothing is sent yet.")}
      </p>
    </>
  );
}
