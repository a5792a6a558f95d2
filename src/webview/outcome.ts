import type { FormTexts } from "../kickoff/form-texts.ts";
import type { Explanation, FromForm, Outcome } from "../kickoff/messages.ts";
import { button, make } from "./dom.ts";

type Post = (message: FromForm) => void;

/** An error with its remedy and its buttons, which are known to the extension host by their place. */
export function explanation(
  { message, remedy, actions }: Explanation,
  post: Post,
  ...others: readonly HTMLElement[]
): HTMLElement {
  const buttons = [
    ...others,
    ...actions.map((title, index) =>
      button(title, "secondary", () => post({ type: "act", index })),
    ),
  ];
  const box = make("div", { class: "error" }, make("p", { class: "message" }, message));
  if (remedy !== undefined && remedy !== "") box.append(make("p", {}, remedy));
  if (buttons.length > 0) box.append(make("div", { class: "buttons" }, ...buttons));
  return box;
}

/** How the last attempt to send ended. */
export function outcomeBox(outcome: Outcome, texts: FormTexts, post: Post): HTMLElement {
  if (outcome.kind === "refused") return explanation(outcome, post);
  const box = explanation(
    outcome,
    post,
    button(texts.openExecution, "primary", () => post({ type: "openExecution" })),
    button(texts.kickOffAgain, "secondary", () => post({ type: "sendAgain" })),
  );
  box.className = "warning";
  return box;
}
