import * as l10n from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { shortName } from "../../base/text.ts";
import type { PageDrafts, Place, ToPage } from "../../views/page/messages.ts";
import type { PageModel } from "../../views/page/model.ts";
import { lookAt, type TimelineView } from "../../views/timeline/messages.ts";
import { clock, Elapsed } from "../clock.tsx";
import { Facts, Icon, LinkButton, useResize } from "../controls.tsx";
import { draw, host } from "../host.ts";
import { Timeline } from "../timeline/timeline.tsx";
import { ContentView, Fold, Markdown } from "./content.tsx";
import { ActButton, isSame, type OutputName, ReviewSection } from "./review.tsx";
import { calls, Task } from "./task.tsx";

interface PageProps {
  readonly model: PageModel;
  readonly drafts: PageDrafts;
  readonly timeline: TimelineView | undefined;
  readonly settled: OutputName | undefined;
}

function Page({ model, drafts, timeline, settled }: PageProps) {
  const { view, review, inputs } = model;
  const { result, tasks, toCome, noInputs, times } = view;
  const { current } = drafts;
  useFocus(model, drafts);
  const attempts = tasks.find(({ taskId }) => taskId === review?.taskId)?.attempts;
  const previous = attempts?.find(({ number }) => number === review?.attempt)?.previous;
  return (
    <>
      <Header view={view} />
      <Notices model={model} />
      {review !== undefined && (
        <ReviewSection
          review={review}
          draft={current && isSame(current, review) ? current : { text: "", number: 0 }}
          earlier={attempts?.find(({ number }) => number === previous)}
          settled={settled}
        />
      )}
      {drafts.old.length > 0 && <OldDrafts drafts={drafts.old} />}
      {result !== undefined && (
        <section class="result" aria-labelledby="result">
          <h2 id="result">{l10n.t("Result")}</h2>
          <ContentView text={result} />
          <p class="tools">
            <LinkButton
              label={l10n.t("Open Output")}
              message={{ type: "act", action: "openOutput", result: true }}
            />
          </p>
        </section>
      )}
      {timeline !== undefined && timeline.spans.length > 1 && (
        <FoldSection id="timeline" label={l10n.t("Timeline")}>
          <Timeline
            key={timeline.localId}
            view={timeline}
            look={lookAt(timeline.localId, host.kept.look)}
            onLook={(look) => host.keep({ look })}
            onReveal={({ id: spanId }, takesFocus) => reveal({ spanId, takesFocus })}
            onDefine={
              timeline.isLocal
                ? ({ taskId }) =>
                    host.post({ type: "define", ...(taskId !== undefined && { taskId }) })
                : undefined
            }
            isSmall
          />
        </FoldSection>
      )}
      {tasks.length > 0 && (
        <section aria-labelledby="tasks">
          <h2 id="tasks">{l10n.t("Tasks")}</h2>
          <ol class="tasks">
            {tasks.map((task) => (
              <Task key={task.taskId} {...{ task, review }} isWithTools={model.isWithTools} />
            ))}
          </ol>
          {toCome !== undefined && <p class="faint to-come">{toCome}</p>}
        </section>
      )}
      <FoldSection id="inputs" label={l10n.t("Inputs")}>
        {noInputs !== undefined && <p class="faint">{noInputs}</p>}
        <Facts rows={inputs.map(([name, text]) => [name, <ContentView text={text} isInput />])} />
      </FoldSection>
      <FoldSection id="details" label={l10n.t("Crew and IDs")}>
        <p class="faint">{times.join(" · ")}</p>
        <Facts rows={view.about.map(({ label, value }) => [label, value])} />
      </FoldSection>
    </>
  );
}

function FoldSection(section: { id: string; label: string; children: ComponentChildren }) {
  return (
    <section class="facts">
      <Fold id={section.id} label={<h2>{section.label}</h2>}>
        {section.children}
      </Fold>
    </section>
  );
}

/** The pause itself is shown at its output. */
function Notices({ model: { view, links } }: { readonly model: PageModel }) {
  const shown = view.notices.filter(
    ({ id }) => id !== "waits" && (id !== "answered pause" || view.state !== "waiting"),
  );
  return shown.map(({ id, kind, title, lines }) => {
    const own = links.filter((link) => link.id === id);
    return (
      <div key={id} class={`notice ${kind}`}>
        <Icon name={kind} />
        <div>
          {title !== undefined && <h2>{title}</h2>}
          <Markdown text={lines.join("\n")} />
          {own.length > 0 && (
            <p class="tools">
              {own.map((link) => (
                <LinkButton key={link.label} label={link.label} message={link.message} />
              ))}
            </p>
          )}
        </div>
      </div>
    );
  });
}

function OldDrafts({ drafts }: { readonly drafts: PageDrafts["old"] }) {
  return (
    <section aria-labelledby="old-drafts">
      <h2 id="old-drafts">{l10n.t("Written, but Not Sent")}</h2>
      {drafts.map(({ taskId, attempt, text }) => (
        <div class="given" key={`${attempt} ${taskId}`}>
          <p class="title">{l10n.t("{0}, attempt {1}", shortName(taskId), attempt)}</p>
          <div class="plain">{text}</div>
          <p class="tools">
            <LinkButton
              label={l10n.t("Discard…")}
              message={{ type: "discardDraft", taskId, attempt }}
            />
          </p>
        </div>
      ))}
    </section>
  );
}

function Header({ view }: { readonly view: PageModel["view"] }) {
  const { title, crew, state, label, facts, elapsed, use } = view;
  // The answers to what waits are beside it.
  const actions = [...(state === "waiting" ? [] : view.answers), ...view.actions];
  const element = useRef<HTMLElement>(null);
  // What is fixed below it, and what is scrolled to, begins where it ends.
  useResize(element, ({ offsetHeight }) =>
    document.documentElement.style.setProperty("--header", `${offsetHeight}px`),
  );
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
        {[...facts, crew].map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        {elapsed !== undefined && <Elapsed elapsed={elapsed} />}
        {use.map((amount) => (
          <span key={amount}>{amount}</span>
        ))}
      </p>
      <p class="unseen" role="status">
        {[label, ...facts].join(" · ")}
      </p>
    </header>
  );
}

/** What had focus may be gone, such as the buttons after they were pressed, or a draft. */
function useFocus(...shown: readonly [PageModel, PageDrafts]): void {
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
  }, shown);
}

let timeline: TimelineView | undefined;
let drafts: PageDrafts = { old: [] };
let model: PageModel | undefined;
let settled: OutputName | undefined;

function show(): void {
  if (model !== undefined) draw(<Page {...{ model, drafts, timeline, settled }} />);
}

function reveal(place: Place): void {
  if (model === undefined) return;
  const target = targetOf(place, model);
  if (typeof target !== "string") {
    const open = Object.fromEntries(target.map((fold) => [fold, true]));
    host.keep({ folds: { ...host.kept.folds, ...open } });
  }
  show();
  const found =
    typeof target === "string"
      ? document.querySelector(target)
      : target
          .map((fold) => document.querySelector(`[data-fold="${CSS.escape(fold)}"]`))
          .findLast((fold) => fold !== null);
  // The box is beside what is read: focus alone brings it into view.
  const isBox = place === "feedback";
  if (!isBox) found?.scrollIntoView({ block: "start" });
  const focused = found?.querySelector("summary") ?? found;
  const takesFocus = isBox || !("spanId" in place) || place.takesFocus;
  if (takesFocus && focused instanceof HTMLElement) focused.focus({ preventScroll: !isBox });
}

/** Where to move, or the folds to open, outermost first, of which the last one is the place. */
function targetOf(place: Place, { view, review }: PageModel): string | readonly string[] {
  if (place === "feedback") return ".feedback";
  if ("taskId" in place)
    return place.taskId === review?.taskId ? "#review" : [`task ${place.taskId}`];
  const span = timeline?.spans.find(({ id }) => id === place.spanId);
  const task = view.tasks.find(({ taskId }) => taskId === span?.taskId);
  if (span === undefined || task === undefined) return "h1";
  const { taskId, attempts } = task;
  const attempt = attempts.find(({ number }) => number === span.attempt) ?? attempts.at(-1);
  if (span.kind === "task" || attempt === undefined) return [`task ${taskId}`];
  const own = { taskId, attempt: attempt.number };
  const isWhole = span.kind === "wait" || span.kind === "attempt";
  if (isWhole && review !== undefined && isSame(review, own)) return "#review";
  const inAttempt = `${attempt.number} ${taskId}`;
  const isStep = attempt.steps.some(({ id }) => id === span.id);
  const steps = isStep ? [`steps ${inAttempt}`, `step ${span.id}`] : [];
  // A task's only attempt has no fold.
  return [`task ${taskId}`, `attempt ${inAttempt}`, ...steps];
}

host.listen<ToPage>({
  drafts(message) {
    drafts = message.drafts;
    show();
  },
  show(message) {
    model = message.model;
    timeline = message.timeline ?? timeline;
    if (message.timeline !== undefined) clock.set(message.timeline.now);
    show();
  },
  missing({ text }) {
    model = undefined;
    draw(<Markdown text={text} />);
  },
  settled(output) {
    settled = output;
    show();
  },
  reveal: ({ place }) => reveal(place),
  call({ span, call }) {
    calls.set(span, call);
    show();
  },
});
