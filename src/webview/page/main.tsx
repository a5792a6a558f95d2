import "../l10n.ts";
import * as l10n from "@vscode/l10n";
import { type ComponentChildren, render } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { PageModel, Place, Review, ToPage } from "../../views/page/messages.ts";
import { clock } from "../timeline/clock.ts";
import { SmallTimeline } from "../timeline/small-timeline.tsx";
import { KnownSpans, type WholeView } from "../timeline/known-spans.ts";
import { ContentView, Level, Markdown } from "./content.tsx";
import { Elapsed } from "./elapsed.tsx";
import { Fold } from "./fold.tsx";
import { host } from "./host.ts";
import { Icon, StateIcon } from "./icons.tsx";
import { reveal } from "./reveal.ts";
import { ActButton, ReviewSection } from "./review.tsx";
import { Task } from "./task.tsx";

const noticeColors = { info: "faint", warning: "yellow", error: "red" } as const;

type Output = Pick<Review, "taskId" | "attempt">;

function isSame(one: Output, other: Output): boolean {
  return one.taskId === other.taskId && one.attempt === other.attempt;
}

interface PageProps {
  readonly model: PageModel;
  /** Drawn when a person asks for it. */
  readonly timeline: ComponentChildren | undefined;
  /** The outputs whose answer from here is under way. */
  readonly pressed: readonly Output[];
  readonly onPress: (output: Output) => void;
}

function Page({ model, timeline, pressed, onPress }: PageProps) {
  const { review, result, notices, tasks, toCome, inputs, noInputs, details } = model;
  useFocus(model);
  const attempts = tasks.find(({ taskId }) => taskId === review?.taskId)?.attempts;
  const previous = attempts?.find(({ number }) => number === review?.attempt)?.previous;
  return (
    <>
      <Header model={model} />
      {notices.map(({ id, kind, text }) => (
        <div key={id} class={`notice ${kind}`}>
          <Icon name={kind} color={noticeColors[kind]} />
          <Markdown text={text} />
        </div>
      ))}
      {review !== undefined && (
        <ReviewSection
          review={review}
          earlier={attempts?.find(({ number }) => number === previous)}
          isPressed={pressed.some((output) => isSame(output, review))}
          onPress={() => onPress(review)}
        />
      )}
      {result !== undefined && (
        <section class="result" aria-labelledby="result">
          <h2 id="result">{l10n.t("Result")}</h2>
          <Level.Provider value={2}>
            <ContentView content={result} open={() => host.post({ type: "openOutput" })} />
          </Level.Provider>
        </section>
      )}
      {timeline !== undefined && (
        <section class="facts">
          <Fold id="timeline" isOpen={false} label={<h2>{l10n.t("Timeline")}</h2>}>
            {timeline}
          </Fold>
        </section>
      )}
      {tasks.length > 0 && (
        <section aria-labelledby="tasks">
          <h2 id="tasks">{l10n.t("Tasks")}</h2>
          <ol class="tasks">
            {tasks.map((task) => (
              <Task key={task.taskId} task={task} />
            ))}
          </ol>
          {toCome !== undefined && <p class="faint to-come">{toCome}</p>}
        </section>
      )}
      {(inputs.length > 0 || noInputs !== undefined) && (
        <section class="facts">
          <Fold id="inputs" isOpen={false} label={<h2>{l10n.t("Inputs")}</h2>}>
            {noInputs !== undefined && <p class="faint">{noInputs}</p>}
            <dl>
              {inputs.map(({ name, value }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>
                    {value.kind === "json" ? (
                      <ContentView content={value} />
                    ) : value.text === "" ? (
                      <em class="faint">{l10n.t("empty")}</em>
                    ) : (
                      <div class="plain">{value.text}</div>
                    )}
                  </dd>
                </div>
              ))}
            </dl>
          </Fold>
        </section>
      )}
      <section class="facts">
        <Fold id="details" isOpen={false} label={<h2>{l10n.t("Crew and IDs")}</h2>}>
          <dl>
            {details.map(({ label, value }, at) => (
              <div key={at}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </Fold>
      </section>
    </>
  );
}

function Header({ model }: { readonly model: PageModel }) {
  const { title, crew, state, stateLabel, facts, elapsed, use, actions, spoken } = model;
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    // What is fixed below it, and what is scrolled to, begins where it ends.
    const observer = new ResizeObserver(() =>
      document.documentElement.style.setProperty("--header", `${current.offsetHeight}px`),
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <header ref={element}>
      <div class="title">
        <StateIcon state={state} />
        <h1 tabIndex={-1}>{title}</h1>
        {actions.length > 0 && (
          <div class="actions" role="group" aria-label={l10n.t("Actions")}>
            {actions.map((action) => (
              <ActButton key={action.label} action={action} />
            ))}
          </div>
        )}
      </div>
      <p class="state">
        <strong>{stateLabel}</strong>
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        <span>{crew}</span>
        {elapsed !== undefined && <Elapsed elapsed={elapsed} />}
        {use.map((amount) => (
          <span key={amount}>{amount}</span>
        ))}
      </p>
      <p class="unseen" role="status">
        {spoken}
      </p>
    </header>
  );
}

/** What had focus may be gone, such as the buttons after they were pressed. */
function useFocus(model: PageModel): void {
  const last = useRef<Element | null>(null);
  useEffect(() => {
    const moved = ({ target }: FocusEvent) =>
      (last.current = target instanceof Element ? target : null);
    document.addEventListener("focusin", moved);
    return () => document.removeEventListener("focusin", moved);
  }, []);
  useLayoutEffect(() => {
    if (last.current?.isConnected !== false || document.activeElement !== document.body) return;
    const heading = document.querySelector("#review") ?? document.querySelector("h1");
    if (heading instanceof HTMLElement) heading.focus({ preventScroll: true });
  }, [model]);
}

const place = document.querySelector("main") ?? document.body;
const kept = new KnownSpans();
let timeline: WholeView | undefined;
let shown: Extract<ToPage, { readonly type: "show" | "missing" }> | undefined;
let pressed: readonly Output[] = [];

function draw(): void {
  if (shown === undefined) return;
  const isFirst = place.childElementCount === 0;
  const content =
    shown.type === "missing" ? (
      <Markdown text={shown.text} />
    ) : (
      <Page
        model={shown.model}
        timeline={
          timeline === undefined || timeline.spans.length < 2 ? undefined : (
            <SmallTimeline
              view={timeline}
              look={host.kept.look}
              onLook={(look) => host.keep({ look })}
              onReveal={({ id: spanId }, takesFocus) => move({ spanId, takesFocus })}
              onDefine={
                timeline.isLocal
                  ? ({ taskId }) =>
                      host.post({ type: "define", ...(taskId !== undefined && { taskId }) })
                  : undefined
              }
            />
          )
        }
        pressed={pressed}
        onPress={(output) => {
          pressed = [...pressed, output];
          draw();
        }}
      />
    );
  render(content, place);
  if (isFirst) document.scrollingElement?.scrollTo({ top: host.kept.scroll });
}

function withDraft(
  page: typeof shown,
  { taskId, attempt, draft, draftNumber }: Extract<ToPage, { readonly type: "draft" }>,
): typeof shown {
  if (page?.type !== "show") return page;
  const { model } = page;
  const { review } = model;
  if (review === undefined || !isSame(review, { taskId, attempt })) return page;
  return { ...page, model: { ...model, review: { ...review, draft, draftNumber } } };
}

function move(to: Place): void {
  if (shown?.type === "show") reveal(to, shown.model, timeline?.spans ?? [], draw);
}

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  switch (data.type) {
    case "timeline":
      clock.set(data.view.now);
      timeline = kept.whole(data.view);
      // The model follows.
      return;
    case "show":
    case "missing":
      shown = data;
      break;
    case "draft":
      shown = withDraft(shown, data);
      break;
    case "settled":
      pressed = pressed.filter((output) => !isSame(output, data));
      break;
    case "reveal":
      move(data.place);
      return;
  }
  draw();
});
window.addEventListener("scroll", () => host.keep({ scroll: window.scrollY }), { passive: true });

host.post({ type: "ready" });
