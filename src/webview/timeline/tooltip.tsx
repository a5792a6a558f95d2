import * as l10n from "@vscode/l10n";
import { detailsOf } from "../../views/timeline/labels.ts";
import type { Span } from "../../views/timeline/messages.ts";
import { useNow } from "../clock.tsx";
import { Icon } from "../controls.tsx";

interface TooltipProps {
  readonly id: string;
  readonly span: Span;
  readonly start: number;
}

/** Below or above the row that is tipped. Remote text, as text. */
export function Tooltip({ id, span, start }: TooltipProps) {
  const now = useNow(span.end === undefined);
  const { title, facts, blocks } = detailsOf(span, start, now);
  return (
    <div class={`tooltip ${span.kind} ${span.state}`} id={id} role="tooltip">
      <div class="title">
        <Icon name={span.kind} />
        {title}
      </div>
      <dl>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {blocks.map(([label, text]) => (
        <div class={`block${label === l10n.t("Events") ? " list" : ""}`} key={label}>
          <div class="block-label">{label}</div>
          <pre>{text}</pre>
        </div>
      ))}
    </div>
  );
}
