import type { Advice } from "../kickoff/form/advice.ts";
import type { CallbackHint } from "../kickoff/form/callback-hint.ts";
import { formTitle, type FormView, type ToForm } from "../kickoff/form/messages.ts";
import type { FormTexts } from "../kickoff/texts.ts";
import { button, make } from "./dom.ts";
import { explanation } from "./footer.ts";
import { FormPage, Host } from "./form-page.ts";

const host = new Host();
const place = document.querySelector("main") ?? document.body;
let page: FormPage | undefined;
let texts: FormTexts | undefined;

function show(view: FormView, texts: FormTexts): void {
  if (view.kind === "form" && page?.draft.id === view.draft.id) {
    // Only header and notice can have changed; the cursor stays.
    place.firstElementChild?.replaceWith(header(view, texts));
    page.notice = view.notice;
    return;
  }
  page = undefined;
  place.replaceChildren(header(view, texts));
  switch (view.kind) {
    case "loading":
      host.keepCrew(view.crew);
      place.append(make("p", { class: "loading", role: "status" }, texts.loading));
      break;
    case "unavailable": {
      host.keepCrew(view.crew);
      const again = button(texts.tryAgain, "primary", () => host.post({ type: "tryAgain" }));
      place.append(make("div", { role: "alert" }, explanation(view, host.post, again)));
      break;
    }
    case "form":
      page = new FormPage(view, texts, host);
      host.keep(view.crew, view.fields, view.isEdited ? view.draft : undefined);
      place.append(page.element);
      if (view.focus !== undefined) page.focus(view.focus);
  }
}

function header(view: FormView, texts: FormTexts): HTMLElement {
  const { url, rehearsal, advice } = view.crew;
  const isNotKept = view.kind === "form" && view.isNotKept === true;
  const hint = view.kind === "form" ? view.hint : undefined;
  return make(
    "header",
    {},
    make("h1", {}, formTitle(view, texts)),
    url === "" ? undefined : make("p", { class: "address" }, url),
    rehearsal === undefined ? undefined : make("p", { class: "rehearsal" }, rehearsal),
    advice === undefined ? undefined : adviceLine(advice, texts),
    hint === undefined ? undefined : hintLine(hint, texts),
    isNotKept ? make("p", { class: "not-kept", role: "status" }, texts.notKept) : undefined,
  );
}

function adviceLine({ text, at }: Advice, { showAdvice }: FormTexts): HTMLElement {
  const show = button(showAdvice, "link", () => host.post({ type: "showAdvice" }));
  return make("p", { class: "advice" }, text, ...(at === undefined ? [] : [" ", show]));
}

function hintLine(hint: CallbackHint, { hints, hintActions }: FormTexts): HTMLElement {
  const actions = (["setUpCallbacks", "testCallbacks", "hideHint"] as const).map((type) =>
    button(hintActions[type], "link", () => {
      host.post({ type });
      // The line goes with what had the focus.
      if (type === "hideHint") page?.focus("first");
    }),
  );
  const links = actions.flatMap((action) => [" ", action]);
  return make("p", { class: "callback-hint" }, hints[hint], ...links);
}

window.addEventListener("message", ({ data }: MessageEvent<ToForm>) => {
  if (data.type === "texts") texts = data.texts;
  else if (data.type === "sending") page?.sending();
  else if (data.type === "outcome") page?.ended(data.outcome, data.fields, data.draftId);
  else if (texts !== undefined) show(data.view, texts);
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
  // Otherwise VS Code would handle the key, too.
  event.preventDefault();
  event.stopPropagation();
  if (!event.repeat) page?.submit();
});

const draft = host.keptDraft;
host.post({ type: "ready", ...(draft === undefined ? {} : { draft }) });
