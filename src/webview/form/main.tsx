import "../l10n.ts";
import * as l10n from "@vscode/l10n";
import { render } from "preact";
import type { ToForm } from "../../kickoff/form/messages.ts";
import { ExplanationBox } from "./explanation.tsx";
import { focus, pasted, post, show, start, submit } from "./filling.ts";
import { FilledForm } from "./form.tsx";
import { Header } from "./header.tsx";

const place = document.querySelector("main") ?? document.body;

window.addEventListener("message", ({ data }: MessageEvent<ToForm>) => show(data.view));
document.addEventListener("paste", pasted);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
  // Otherwise VS Code would handle the key, too.
  event.preventDefault();
  event.stopPropagation();
  if (!event.repeat) submit();
});
start((view, form) =>
  render(
    <>
      <Header view={view} onHideHint={() => focus("first")} />
      {view.kind === "loading" && (
        <p class="loading" role="status">
          {l10n.t("Asking the crew for its inputs…")}
        </p>
      )}
      {view.kind === "unavailable" && (
        <div role="alert">
          <ExplanationBox explanation={view}>
            <button type="button" onClick={() => post({ type: "tryAgain" })}>
              {l10n.t("Try Again")}
            </button>
          </ExplanationBox>
        </div>
      )}
      {form !== undefined && <FilledForm form={form} />}
    </>,
    place,
  ),
);
