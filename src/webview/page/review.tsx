import * as l10n from "@vscode/l10n";
import { diffWords } from "diff";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AttemptView } from "../../view/tasks.ts";
import { mostCharacters } from "../../view/markdown.ts";
import type { FromPage, PageDraft } from "../../views/page/messages.ts";
import type { Review } from "../../views/page/model.ts";
import { clock } from "../clock.tsx";
import { Button, Icon, LinkButton } from "../controls.tsx";
import { host } from "../host.ts";
import { ContentView, Markdown } from "./content.tsx";

export type OutputName = Pick<Review, "taskId" | "attempt">;

export function isSame(one: OutputName, other: OutputName): boolean {
  return one.taskId === other.taskId && one.attempt === other.attempt;
}

type Draft = Pick<PageDraft, "text" | "number">;

interface DecisionProps {
  readonly review: Review;
  readonly draft: Draft;
  /** The output whose answer from here is no longer under way. */
  readonly settled: OutputName | undefined;
}

export function ReviewSection(props: DecisionProps & { earlier: AttemptView | undefined }) {
  const { review, earlier, ...decision } = props;
  const { taskId, name, attempt, agent, output, status, note, call } = review;
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
    call === "budget"
      ? l10n.t("The budget is used up")
      : review.answers === undefined && call === undefined
        ? l10n.t("To review: {0}", name)
        : l10n.t("Asks you: {0}", name);
  return (
    <section class={`review ${status}`} aria-labelledby="review" ref={section}>
      <div class="draft">
        <div class="heading">
          <h2 id="review" tabIndex={-1}>
            {isAgain ? l10n.t("Runs again: {0}", name) : asks}
          </h2>
          <span class="faint">
            {[call === undefined && l10n.t("Attempt {0}", attempt), agent]
              .filter(Boolean)
              .join(" · ")}
          </span>
        </div>
        {call === undefined ? (
          <Output {...{ output, earlier, taskId, attempt }} />
        ) : (
          output !== undefined && <ContentView text={output} />
        )}
      </div>
      <div class="decision">
        {note !== undefined && <Markdown text={note} />}
        {review.action !== undefined && <ActButton action={review.action} />}
        {!isAgain && status !== "unanswered" && (
          <Decision key={target} review={review} {...decision} />
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

/** More are read in a diff. */
const mostWords = 80;

/** A text's words that differ from an earlier one's, and some of the same line. Undefined if they are many. */
function changedWords(before: string, after: string) {
  const changes = diffWords(before, after, { maxEditLength: mostWords });
  return changes?.map(({ value: text, added, removed }, at) => {
    if (added) return { tag: "ins", text } as const;
    if (removed) return { tag: "del", text } as const;
    const start = at === 0 ? undefined : /^.{0,40}(?=\s)/.exec(text);
    const end = at === changes.length - 1 ? undefined : /(?<=\s).{0,40}$/.exec(text);
    const ends = `${start?.[0] ?? ""} … ${end?.[0] ?? ""}`;
    return { tag: "span", text: text.length < ends.length + 20 ? text : ends } as const;
  });
}

interface OutputProps extends OutputName {
  readonly output: string | undefined;
  readonly earlier: AttemptView | undefined;
}

export function Output({ output, earlier, taskId, attempt }: OutputProps) {
  if (output === undefined)
    return <p class="faint">{l10n.t("The crew has not returned this output.")}</p>;
  const about = { type: "act", taskId, attempt } as const;
  const asked = earlier?.feedback.findLast(({ kind }) => kind === "rejected");
  const { number = 0, output: before } = earlier ?? {};
  // A longer one is cut.
  const isWhole = output.length < mostCharacters;
  const changes = before !== undefined && isWhole ? changedWords(before, output) : undefined;
  const isSame = changes?.length === 1;
  return (
    <>
      {asked !== undefined && (
        <div class="given">
          <p class="title">{l10n.t("You asked after attempt {0}:", number)}</p>
          <div class="plain">{asked.text}</div>
        </div>
      )}
      {isSame && <p class="faint">{l10n.t("The same words as attempt {0}.", number)}</p>}
      {before !== undefined && !isSame && (
        <div class="given">
          <p class="title">{l10n.t("Changed since attempt {0}:", number)}</p>
          {changes?.map(({ tag: Tag, text }, at) => <Tag key={at}>{text}</Tag>) ??
            l10n.t("Too much to show here.")}
        </div>
      )}
      <ContentView text={output} />
      <p class="tools">
        {before !== undefined && !isSame && (
          <LinkButton
            label={l10n.t("Compare with Attempt {0}", number)}
            message={{ ...about, action: "compareAttempts" }}
          />
        )}
        <LinkButton label={l10n.t("Open Output")} message={{ ...about, action: "openOutput" }} />
      </p>
    </>
  );
}

export function ActButton({ action }: { readonly action: NonNullable<Review["action"]> }) {
  const { verb, label } = action;
  return (
    <Button
      label={label}
      isOff={verb === undefined}
      onClick={() => verb !== undefined && host.post({ type: "act", action: verb })}
    />
  );
}

type Kind = Extract<FromPage, { readonly type: "answer" }>["kind"];

/** The last keystroke in the box of this output, if it isn't stored. */
function unsavedIn(review: Review, draft: Draft) {
  const { unsaved } = host.kept;
  return unsaved !== undefined &&
    isSame(unsaved, review) &&
    unsaved.text !== draft.text &&
    unsaved.number > draft.number
    ? unsaved
    : undefined;
}

/** The feedback box, whose every keystroke reaches the extension, and the buttons that send. */
function Decision({ review, draft, settled }: DecisionProps) {
  const { taskId, attempt, status, goesTo, answers, call } = review;
  const [unsaved] = useState(() => unsavedIn(review, draft));
  const [text, setText] = useState(unsaved?.text ?? draft.text);
  const [hint, setHint] = useState("");
  const [isPressed, setPressed] = useState(false);
  /** At once, for the second of two clicks. */
  const wasPressed = useRef(false);
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
  useLayoutEffect(() => {
    if (settled === undefined || !isSame(settled, review)) return;
    wasPressed.current = false;
    setPressed(false);
  }, [settled]);
  const isSending = isPressed || status === "sending";
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
  /** What is in the box or, for buttons that need it empty, what the button stands for. */
  const send = (kind: Kind, given?: string, more: { isForRun?: true } = {}) => {
    if (isSending || wasPressed.current) return;
    if (isEmpty === (given !== undefined)) {
      wasPressed.current = true;
      setPressed(true);
      host.post({ type: "answer", taskId, attempt, kind, text: given ?? text, ...more });
    } else {
      setHint(
        isEmpty
          ? l10n.t("Write something first.")
          : l10n.t("Clear the box first, or use a button that sends what you wrote."),
      );
      box.current?.focus();
    }
  };
  const button = (
    kind: Kind,
    label: string,
    isPrimary: boolean,
    given?: string,
    more: { isForRun?: true } = {},
  ) => (
    <Button
      key={label}
      kind={isPrimary ? "primary" : "secondary"}
      label={label}
      isOff={isSending || isEmpty !== (given !== undefined)}
      onClick={() => send(kind, given, more)}
    />
  );
  if (call === "budget")
    return (
      <>
        <div class="buttons">{button("approve", l10n.t("Give as Much Again"), true, "")}</div>
        <p class="about">{goesTo}</p>
      </>
    );
  return (
    <>
      <div class="label">
        <label for={id}>{answers === undefined ? l10n.t("Feedback") : l10n.t("Your answer")}</label>
        <Button
          kind="link"
          label={l10n.t("Insert Canned Answer…")}
          isOff={isSending}
          onClick={() => isSending || host.post({ type: "insert", taskId, attempt })}
        />
      </div>
      <textarea
        id={id}
        class="feedback"
        ref={box}
        value={text}
        placeholder={
          call !== undefined
            ? l10n.t("Why not, or what to do instead?")
            : answers === undefined
              ? l10n.t("What is good, what should be different?")
              : l10n.t("The flow continues with it.")
        }
        readOnly={isSending}
        aria-describedby={`${id}-about`}
        onInput={({ currentTarget }) => typed(currentTarget.value)}
        onBlur={() => host.post({ type: "leave" })}
      />
      <div class="buttons">
        {call !== undefined ? (
          <>
            {status !== "answered" && button("approve", l10n.t("Allow"), isEmpty, "")}
            {status !== "answered" &&
              button("approve", l10n.t("Allow for This Run"), false, "", { isForRun: true })}
            {button("reject", l10n.t("Refuse"), !isEmpty)}
          </>
        ) : answers === undefined ? (
          <>
            {status !== "answered" && button("approve", l10n.t("Approve"), isEmpty, "")}
            {button("approve", l10n.t("Approve with Note"), false)}
            {button("reject", l10n.t("Reject"), false)}
          </>
        ) : (
          <>
            {answers.map(({ label, text: given }) => button("answer", label, false, given))}
            {button("answer", l10n.t("Send Answer"), !isEmpty)}
          </>
        )}
      </div>
      <p class="hint" role="status">
        {isSending ? l10n.t("Sending…") : hint}
      </p>
      <p class="about" id={`${id}-about`}>
        {goesTo} {l10n.t("Saved on this machine as you type. Nothing is sent yet.")}
      </p>
    </>
  );
}
