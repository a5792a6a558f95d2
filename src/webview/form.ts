import { fill } from "../kickoff/fill.ts";
import type { FormTexts } from "../kickoff/form-texts.ts";
import { dispatch, type FormView, type Handlers, type ToForm } from "../kickoff/messages.ts";
import { button, make } from "./dom.ts";
import { FormPage } from "./form-page.ts";
import { explanation } from "./outcome.ts";
import { Outside } from "./state.ts";

const outside = new Outside();
const place = document.querySelector("main") ?? document.body;
let page: FormPage | undefined;
let texts: FormTexts | undefined;

const handlers: Handlers<ToForm> = {
  texts: (message) => {
    texts = message.texts;
  },
  show: ({ view }) => {
    if (texts !== undefined) show(view, texts);
  },
  sending: () => page?.sending(),
  outcome: ({ outcome, fields, draftId }) => page?.ended(outcome, fields, draftId),
};

/** Replaces what the page shows. */
function show(view: FormView, words: FormTexts): void {
  if (view.kind === "form" && page?.draft.id === view.draft.id) {
    // Only what is said above the fields can be new: the cursor stays where it is.
    place.firstElementChild?.replaceWith(header(view, words));
    page.notice = view.notice;
    return;
  }
  page = undefined;
  place.replaceChildren(header(view, words));
  switch (view.kind) {
    case "loading":
      outside.keepCrew(view.crew);
      place.append(make("p", { class: "loading", role: "status" }, words.loading));
      break;
    case "unavailable": {
      outside.keepCrew(view.crew);
      const again = button(words.tryAgain, "primary", () => outside.post({ type: "tryAgain" }));
      place.append(
        make(
          "div",
          { role: "alert" },
          explanation(view, (message) => outside.post(message), again),
        ),
      );
      break;
    }
    case "form":
      page = new FormPage(view, words, outside);
      outside.keep(view.crew, view.fields, view.isEdited ? view.draft : undefined);
      place.append(page.element);
      if (view.focus !== undefined) page.focus(view.focus);
  }
}

function header(view: FormView, words: FormTexts): HTMLElement {
  const { name, url, isRehearsal } = view.crew;
  const element = make("header", {}, make("h1", {}, fill(words.title, name)));
  if (url !== "") element.append(make("p", { class: "address" }, url));
  if (isRehearsal) element.append(make("p", { class: "rehearsal" }, words.rehearsal));
  if (view.kind === "form" && view.isNotKept === true)
    element.append(make("p", { class: "not-kept", role: "status" }, words.notKept));
  return element;
}

window.addEventListener("message", (event: MessageEvent<ToForm>) => dispatch(handlers, event.data));
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
  // VS Code hears the keys of a webview, too; this one is the form's.
  event.preventDefault();
  event.stopPropagation();
  if (!event.repeat) page?.submit();
});

const draft = outside.keptDraft;
outside.post({ type: "ready", ...(draft === undefined ? {} : { draft }) });
