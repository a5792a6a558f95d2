import * as l10n from "@vscode/l10n";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { contentOf } from "../../views/page/content.ts";
import { host } from "../host.ts";
import { renderMarkdown } from "./markdown.ts";

/** Opens links through the extension host; VS Code's own handler must not see the click. */
function openLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null) return;
  event.preventDefault();
  event.stopPropagation();
  host.post({ type: "openLink", href: link.href });
}

/** The level of the heading above a text. */
export const Level = createContext(0);

export function Markdown({ text }: { readonly text: string }) {
  const place = useRef<HTMLDivElement>(null);
  const level = useContext(Level);
  useLayoutEffect(() => place.current?.replaceChildren(renderMarkdown(text, level)), [text, level]);
  return <div class="markdown" ref={place} onClick={openLink} onAuxClick={openLink} />;
}

/** A text of the crew or of a person, by its kind. @param isInput it is no Markdown */
export function ContentView({ text: whole, isInput }: { text: string; isInput?: true }) {
  const { kind, text, isCut } = useMemo(() => contentOf(whole), [whole]);
  if (text.trim() === "") return <p class="faint">{l10n.t("empty")}</p>;
  return (
    <div class="content">
      {kind === "json" ? (
        // None of its lines begins with a fence.
        <Markdown text={`~~~json\n${text}~~~`} />
      ) : kind === "text" || isInput ? (
        <div class="plain">{text}</div>
      ) : (
        <Markdown text={text} />
      )}
      {isCut && <p class="cut">{l10n.t("This is the beginning of a large text.")}</p>}
    </div>
  );
}

interface FoldProps {
  /** By which it is remembered what a person opened and closed. */
  readonly id: string;
  /** Counts when it is first shown: what is read must not fold by itself. */
  readonly isOpen?: boolean;
  readonly label: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Its content is drawn only while it is open. */
export function Fold({ id, isOpen = false, label, children }: FoldProps) {
  const [first] = useState(isOpen);
  const [, redraw] = useState(0);
  const open = host.kept.folds[id] ?? first;
  const toggled = (now: boolean) => {
    if (now === open) return;
    host.keep({ folds: { ...host.kept.folds, [id]: now } });
    redraw((times) => times + 1);
  };
  return (
    <details
      class="fold"
      data-fold={id}
      open={open}
      onToggle={({ currentTarget }) => toggled(currentTarget.open)}
    >
      <summary>{label}</summary>
      {open && children}
    </details>
  );
}
