import * as l10n from "@vscode/l10n";
import type { FormView } from "../../kickoff/form/messages.ts";
import { formTitle, hintActionNames, hintActions, hintText } from "../../kickoff/texts.ts";
import { pasted, start, submit } from "./filling.ts";
import { draw, host } from "../host.ts";
import { ExplanationBox, FilledForm } from "./form.tsx";

document.addEventListener("paste", pasted);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
  // Otherwise VS Code would handle the key, too.
  event.preventDefault();
  event.stopPropagation();
  if (!event.repeat) submit();
});
start((view, form) =>
  draw(
    <>
      <Header view={view} />
      {view.kind === "loading" && (
        <p class="loading" role="status">
          {l10n.t("Asking the crew for its inputs…")}
        </p>
      )}
      {view.kind === "unavailable" && (
        <div role="alert">
          <ExplanationBox explanation={view}>
            <button type="button" onClick={() => host.post({ type: "tryAgain" })}>
              {l10n.t("Try Again")}
            </button>
          </ExplanationBox>
        </div>
      )}
      {form !== undefined && <FilledForm form={form} />}
    </>,
  ),
);

/** Whose form this is, and what to know of that crew. */
function Header({ view }: { readonly view: FormView }) {
  const { url, rehearsal, advice } = view.crew;
  const hint = view.kind === "form" ? view.hint : undefined;
  const texts = hintActions();
  return (
    <header>
      <h1>{formTitle(view)}</h1>
      {url !== "" && <p class="address">{url}</p>}
      {rehearsal !== undefined && <p class="rehearsal">{rehearsal}</p>}
      {advice !== undefined && (
        <p class="advice">
          {advice.text}{" "}
          {advice.at !== undefined && (
            <button type="button" class="link" onClick={() => host.post({ type: "showAdvice" })}>
              {l10n.t("Show")}
            </button>
          )}
        </p>
      )}
      {hint !== undefined && (
        <p class="callback-hint">
          {hintText(hint)}{" "}
          {hintActionNames.map((action) => (
            <button
              key={action}
              type="button"
              class="link"
              onClick={() => host.post({ type: "hint", action })}
            >
              {texts[action]}
            </button>
          ))}
        </p>
      )}
      {view.kind === "form" && view.isNotKept === true && (
        <p class="not-kept" role="status">
          {l10n.t("What you type here can't be saved. See the log for details.")}
        </p>
      )}
    </header>
  );
}
