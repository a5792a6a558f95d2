import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { fill } from "../../kickoff/form/messages.ts";
import type { AttemptCard, Content, FromPage, Review } from "../../views/page/messages.ts";
import { clock } from "../timeline/clock.ts";
import { ChangedWords, ContentView, Difference, Level, Markdown } from "./content.tsx";
import { host } from "./host.ts";
import { Icon } from "./icons.tsx";
import { useTexts } from "./texts.ts";

interface ReviewProps {
  readonly review: Review;
  readonly earlier: AttemptCard | undefined;
  /** What the person sent from here is under way. */
  readonly isPressed: boolean;
  readonly onPress: () => void;
}

/** The output that waits, with what a person can answer beside it. */
export function ReviewSection({ review, earlier, isPressed, onPress }: ReviewProps) {
  const texts = useTexts();
  const { taskId, name, attempt, agent, content, status, note } = review;
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
  const asks = review.answers === undefined ? texts.review.heading : texts.review.asks;
  return (
    <section class={`review ${status}`} aria-labelledby="review" ref={section}>
      <div class="draft">
        <div class="heading">
          <h2 id="review" tabIndex={-1}>
            {fill(isAgain ? texts.review.again : asks, name)}
          </h2>
          <span class="faint">
            {[fill(texts.attempt, attempt), agent].filter(Boolean).join(" · ")}
          </span>
        </div>
        <Level.Provider value={2}>
          <Output
            key={target}
            content={content}
            earlier={earlier}
            taskId={taskId}
            attempt={attempt}
          />
        </Level.Provider>
      </div>
      <div class="decision">
        {note !== undefined && <Markdown text={note} />}
        {review.action !== undefined && <ActButton action={review.action} />}
        {(status === "waits" || status === "answered" || status === "sending") && (
          <Decision
            key={target}
            review={review}
            isSending={isPressed || status === "sending"}
            onPress={onPress}
          />
        )}
        {isAgain && (
          <p class="running">
            <Icon name="running" color="blue" /> {texts.review.runsAgain}
          </p>
        )}
      </div>
    </section>
  );
}

interface OutputProps {
  readonly content: Content | undefined;
  /** The attempt before, with its output. */
  readonly earlier: AttemptCard | undefined;
  readonly taskId: string;
  readonly attempt: number;
}

/** An attempt's output, what was asked for after the one before, and what changed since. */
export function Output({ content, earlier, taskId, attempt }: OutputProps) {
  const texts = useTexts();
  const [isCompared, setCompared] = useState(false);
  if (content === undefined) return <p class="faint">{texts.missing}</p>;
  const open = () => host.post({ type: "openOutput", taskId, attempt });
  const before = earlier?.content;
  const isWhole = content.cutFrom === undefined && before?.cutFrom === undefined;
  const asked = earlier?.feedback.findLast(({ kind }) => kind === "rejected")?.content;
  return (
    <>
      {earlier !== undefined && asked !== undefined && (
        <div class="given">
          <p class="title">{fill(texts.asked, earlier.number)}</p>
          <ContentView content={asked} />
          {before !== undefined && isWhole && !isCompared && (
            <ChangedWords before={before.text} after={content.text} />
          )}
        </div>
      )}
      {isCompared && before !== undefined ? (
        <Difference before={before.text} after={content.text} />
      ) : (
        <ContentView content={content} />
      )}
      <p class="tools">
        {earlier !== undefined && before !== undefined && isWhole && (
          <button type="button" class="link" onClick={() => setCompared(!isCompared)}>
            {isCompared ? texts.showOutput : fill(texts.compare, earlier.number)}
          </button>
        )}
        {before !== undefined && (isCompared || !isWhole) && (
          <button
            type="button"
            class="link"
            onClick={() => host.post({ type: "compare", taskId, attempt })}
          >
            {texts.openDiff}
          </button>
        )}
        <button type="button" class="link" onClick={open}>
          {texts.openOutput}
        </button>
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

interface DecisionProps {
  readonly review: Review;
  readonly isSending: boolean;
  readonly onPress: () => void;
}

/** The last keystroke in the box of this output, if it isn't stored. */
function unsavedIn({ taskId, attempt, draft, draftNumber }: Review) {
  const { unsaved } = host.kept;
  const isOwn = unsaved?.taskId === taskId && unsaved.attempt === attempt;
  return isOwn && unsaved.text !== draft && unsaved.number > draftNumber ? unsaved : undefined;
}

/** The feedback box, whose every keystroke reaches the extension, and the buttons that send. */
function Decision({ review, isSending, onPress }: DecisionProps) {
  const { review: texts } = useTexts();
  const { taskId, attempt, draft, draftNumber, goesTo, answers } = review;
  const [unsaved] = useState(() => unsavedIn(review));
  const [text, setText] = useState(unsaved?.text ?? draft);
  const [hint, setHint] = useState("");
  const box = useRef<HTMLTextAreaElement>(null);
  /** Increases with each keystroke, also after the page was hidden. */
  const number = useRef(unsaved?.number ?? 0);
  const id = useId();
  useEffect(() => {
    if (unsaved !== undefined) host.post(unsaved);
  }, [unsaved]);
  useEffect(() => {
    if (unsavedIn(review) === undefined) host.keep({ unsaved: undefined });
    // The draft may have been changed elsewhere, but not while it is edited here.
    if (draftNumber >= number.current && document.activeElement !== box.current) setText(draft);
  }, [draft, draftNumber]);
  const isEmpty = text.trim() === "";
  const typed = (value: string) => {
    setText(value);
    setHint("");
    number.current = Math.max(clock.now(), number.current + 1, draftNumber + 1);
    const keystroke = {
      type: "draft",
      taskId,
      attempt,
      text: value,
      number: number.current,
    } as const;
    host.keep({ unsaved: keystroke });
    host.post(keystroke);
  };
  /** What is in the box or, for buttons that need it empty, what the button stands for. */
  const send = (kind: Kind, given?: string) => {
    if (isSending) return;
    if (isEmpty === (given !== undefined)) {
      onPress();
      host.post({ type: "answer", taskId, attempt, kind, text: given ?? text });
    } else {
      const isWritten = kind === "answer" ? texts.clearFirst : texts.hasText;
      const isMissing = kind === "answer" ? texts.needsAnswer : texts.needsText;
      setHint(isEmpty ? isMissing : isWritten);
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
  const label =
    answers === undefined ? texts.feedback : answers.length > 0 ? texts.choose : texts.answer;
  return (
    <>
      <div class="label">
        <label for={id}>{label}</label>
        <button
          type="button"
          class="link"
          aria-disabled={isSending}
          onClick={() => isSending || host.post({ type: "insert", taskId, attempt })}
        >
          {texts.insert}
        </button>
      </div>
      <textarea
        id={id}
        class="feedback"
        ref={box}
        value={text}
        placeholder={answers === undefined ? texts.placeholder : texts.answerPlaceholder}
        readOnly={isSending}
        aria-describedby={`${id}-about`}
        onInput={({ currentTarget }) => typed(currentTarget.value)}
        onBlur={() => host.post({ type: "leave" })}
      />
      {answers === undefined ? (
        <div class="buttons">
          {button("approve", texts.approve, isEmpty, "")}
          {button("approveWithNote", texts.approveWithNote, !isEmpty)}
          {button("reject", texts.reject, false)}
        </div>
      ) : (
        <div class="buttons">
          {answers.map(({ label, text: given }) => button("answer", label, false, given))}
          {button("answer", texts.sendAnswer, !isEmpty)}
        </div>
      )}
      <p class="hint" role="status">
        {isSending ? texts.sending : hint}
      </p>
      <p class="about" id={`${id}-about`}>
        {goesTo} {texts.saved}
      </p>
    </>
  );
}
