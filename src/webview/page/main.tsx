import * as l10n from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { PageModel, Place, Review, ToPage } from "../../views/page/messages.ts";
import type { TimelineView } from "../../views/timeline/messages.ts";
import { clock, Elapsed } from "../clock.tsx";
import { draw, host } from "../host.ts";
import { SmallTimeline } from "../timeline/small-timeline.tsx";
import { ContentView, Level, Markdown, ValueView } from "./content.tsx";
import { Fold } from "./fold.tsx";
import { Icon } from "../icons.tsx";
import { reveal } from "./reveal.ts";
import { ActButton, ReviewSection } from "./review.tsx";
import { Task } from "./task.tsx";

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
      {notices.map(({ id, kind, text, links }) => (
        <div key={id} class={`notice ${kind}`}>
          <Icon name={kind} />
          <div>
            <Markdown text={text} />
            {links.length > 0 && (
              <p class="tools">
                {links.map(({ label, message }) => (
                  <button key={label} type="button" class="link" onClick={() => host.post(message)}>
                    {label}
                  </button>
                ))}
              </p>
            )}
          </div>
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
            <ContentView
              content={result}
              open={() => host.post({ type: "act", action: "openOutput", result: true })}
            />
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
                    <ValueView content={value} />
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
  const { title, crew, state, label, facts, elapsed, use, actions, spoken } = model;
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
        <Icon name={state} />
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
        <strong>{label}</strong>
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

let timeline: TimelineView | undefined;
let model: PageModel | undefined;
let pressed: readonly Output[] = [];

function show(changed: PageModel | undefined): void {
  model = changed;
  if (model === undefined) return;
  draw(
    <Page
      model={model}
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
        show(model);
      }}
    />,
  );
}

function move(to: Place): void {
  if (model !== undefined) reveal(to, model, timeline?.spans ?? [], () => show(model));
}

host.listen<ToPage>({
  timeline({ view }) {
    clock.set(view.now);
    timeline = view;
    // The model follows.
  },
  show: (message) => show(message.model),
  missing({ text }) {
    model = undefined;
    draw(<Markdown text={text} />);
  },
  draft({ draft, draftNumber, ...output }) {
    const review = model?.review;
    if (model === undefined || review === undefined || !isSame(review, output)) return;
    show({ ...model, review: { ...review, draft, draftNumber } });
  },
  settled(output) {
    pressed = pressed.filter((each) => !isSame(each, output));
    show(model);
  },
  reveal: ({ place }) => move(place),
});
