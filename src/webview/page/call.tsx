import * as l10n from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { type Entry, headingOf } from "../../view/conversation.ts";
import type { CallModel } from "../../views/page/calls.ts";
import { LinkButton } from "../controls.tsx";
import { host } from "../host.ts";
import { ContentView, Fold } from "./content.tsx";

/** Those that were read, by the IDs of their spans. */
export const calls = new Map<string, CallModel>();

/** Who said what in a call, which is read when it is shown. @param props `children`: what its events say, without it */
export function CallView(props: { span: string; children: ComponentChildren }) {
  const { span, children } = props;
  const call = calls.get(span);
  useEffect(() => host.post({ type: "call", span }), [span]);
  if (call === undefined) return children;
  const { facts, actions, said = { tools: [], asked: [], answered: [] } } = call;
  const labels = {
    compareCalls: l10n.t("What Changed Since the Last Call"),
    copyCall: l10n.t("Copy as JSON"),
    copyCallAsCurl: l10n.t("Copy as cURL"),
  };
  const entries = (of: readonly Entry[], place: string) =>
    of.map((entry, at) => (
      <Fold
        key={at}
        id={`${place} ${at} ${span}`}
        isOpen={!/^(system|developer|tool)$/.test(entry.role)}
        label={<strong>{headingOf(entry)}</strong>}
      >
        {/* It scrolls. As it was sent: Markdown has other line breaks. */}
        <div class="said" tabIndex={0}>
          <ContentView text={entry.text} isInput />
        </div>
      </Fold>
    ));
  return (
    <div class="call">
      <p class="faint">{facts.join(" · ")}</p>
      <p class="tools">
        {actions.map((action) => (
          <LinkButton
            key={action}
            label={labels[action]}
            message={{ type: "call", span, action }}
          />
        ))}
      </p>
      {call.said === undefined && children}
      {said.tools.length > 0 && (
        <Fold id={`tools ${span}`} label={<strong>{l10n.t("Tools Offered")}</strong>}>
          {entries(said.tools, "tool")}
        </Fold>
      )}
      {entries(said.asked, "asked")}
      <div class="answered">{entries(said.answered, "answered")}</div>
    </div>
  );
}
