import * as l10n from "@vscode/l10n";
import { draw, host } from "../host.ts";
import { ExplanationBox } from "./explanation.tsx";
import { focus, pasted, start, submit } from "./filling.ts";
import { FilledForm } from "./form.tsx";
import { Header } from "./header.tsx";

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
      <Header view={view} onHideHint={() => focus("first")} />
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
