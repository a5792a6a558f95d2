import * as l10n from "@vscode/l10n";
import DOMPurify from "dompurify";
import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import diff from "highlight.js/lib/languages/diff";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import MarkdownIt from "markdown-it";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { contentOf } from "../../view/markdown.ts";
import { host } from "../host.ts";

const languages = { bash, diff, javascript, json, python, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages))
  highlighter.registerLanguage(name, language);

/** Longer code is not highlighted. */
const longestCode = 50_000;

const markdown = new MarkdownIt({
  linkify: true,
  highlight(code, language) {
    const isKnown = highlighter.getLanguage(language) !== undefined;
    return isKnown && code.length <= longestCode
      ? highlighter.highlight(code, { language, ignoreIllegals: true }).value
      : "";
  },
});
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
// The extension host checks it again.
markdown.validateLink = (address) => /^(?:https?|mailto):/i.test(address.trim());

const { rules } = markdown.renderer;
const { utils } = markdown;
// An image would be requested from the host that the crew names.
rules.image = (tokens, at) => {
  const token = tokens[at];
  const name = token?.content === "" ? String(token.attrGet("src") ?? "") : (token?.content ?? "");
  return `<span class="image">${utils.escapeHtml(l10n.t("Image, not loaded: {0}", name))}</span>`;
};
rules["table_open"] = () => '<div class="table" tabindex="0"><table>';
rules["table_close"] = () => "</table></div>";
// The page's own headings are above those of an output, and its policy allows no style.
markdown.core.ruler.push("page", ({ tokens }) => {
  for (const token of tokens) {
    if (token.type.startsWith("heading_"))
      token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 2)}`;
    const align = /left|center|right/.exec(String(token.attrGet("style") ?? ""));
    if (align !== null) token.attrs = [["class", align[0]]];
  }
});

const tags =
  "a blockquote br code del div em h1 h2 h3 h4 h5 h6 hr li ol p pre s span strong table tbody td th thead tr ul";

/** A text of the crew as elements without scripts, styles, images and forms. Wide code scrolls, also by keyboard. */
function renderMarkdown(text: string): DocumentFragment {
  const html = markdown.render(text).replaceAll("<pre>", '<pre tabindex="0">');
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: tags.split(" "),
    ALLOWED_ATTR: ["href", "class", "start", "tabindex"],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    // The others would have to match it.
    ADD_URI_SAFE_ATTR: ["start", "tabindex"],
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}

/** Opens links through the extension host; VS Code's own handler must not see the click. */
function openLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null) return;
  event.preventDefault();
  event.stopPropagation();
  host.post({ type: "openLink", href: link.href });
}

export function Markdown({ text }: { readonly text: string }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.replaceChildren(renderMarkdown(text)), [text]);
  return <div class="markdown" ref={place} onClick={openLink} onAuxClick={openLink} />;
}

/** A text of the crew or of a person, by its kind. @param isInput it is no Markdown */
export function ContentView({ text: whole, isInput }: { text: string; isInput?: true }) {
  const { kind, text, isCut } = useMemo(() => contentOf(whole), [whole]);
  if (text.trim() === "") return <p class="faint">{l10n.t("empty")}</p>;
  return (
    <div class={kind === "json" ? "content json" : "content"}>
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
