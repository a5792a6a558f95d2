import type { ComponentChildren } from "preact";
import type { Explanation } from "../../kickoff/form/messages.ts";
import { host } from "../host.ts";

interface ExplanationProps {
  readonly explanation: Explanation;
  readonly kind?: "error" | "warning";
  readonly children?: ComponentChildren;
}

/** What happened, what a person can do, and buttons for it, which the extension host identifies by index. */
export function ExplanationBox({ explanation, kind = "error", children }: ExplanationProps) {
  const { message, remedy, actions } = explanation;
  return (
    <div class={kind}>
      <p class="message">{message}</p>
      {remedy !== undefined && remedy !== "" && <p>{remedy}</p>}
      {(children !== undefined || actions.length > 0) && (
        <div class="buttons">
          {children}
          {actions.map((title, index) => (
            <button
              key={title}
              type="button"
              class="secondary"
              onClick={() => host.post({ type: "act", index })}
            >
              {title}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
