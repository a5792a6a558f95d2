import * as l10n from "@vscode/l10n";
import type { FormView } from "../../kickoff/form/messages.ts";
import { formTitle, hintActions, hintText } from "../../kickoff/texts.ts";
import { host } from "../host.ts";

interface HeaderProps {
  readonly view: FormView;
  /** The line goes with what had the focus. */
  readonly onHideHint: () => void;
}

/** Whose form this is, and what to know of that crew. */
export function Header({ view, onHideHint }: HeaderProps) {
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
          {(["setUpCallbacks", "testCallbacks", "hideHint"] as const).map((type) => (
            <button
              key={type}
              type="button"
              class="link"
              onClick={() => {
                host.post({ type });
                if (type === "hideHint") onHideHint();
              }}
            >
              {texts[type]}
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
