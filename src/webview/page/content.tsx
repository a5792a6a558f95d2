import * as l10n from "@vscode/l10n";
import { type Node, parseTree } from "jsonc-parser";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { contentOf } from "../../views/page/content.ts";
import { host } from "../host.ts";
import { renderMarkdown } from "./markdown.ts";

/** Members of an object or array that are shown at once. */
const mostMembers = 100;

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

/** A text of the crew or of a person, by its kind. */
export function ContentView({ text: whole }: { readonly text: string }) {
  const { kind, text, isCut } = useMemo(() => contentOf(whole), [whole]);
  if (text.trim() === "") return <p class="faint">{l10n.t("empty output")}</p>;
  return (
    <div class="content">
      {kind === "markdown" ? (
        <Markdown text={text} />
      ) : kind === "json" ? (
        <JsonTree text={text} />
      ) : (
        <div class="plain">{text}</div>
      )}
      {isCut && <p class="cut">{l10n.t("This is the beginning of a large text.")}</p>}
    </div>
  );
}

/** An input, as it was given and not as Markdown. */
export function ValueView({ text }: { readonly text: string }) {
  if (text === "") return <em class="faint">{l10n.t("empty")}</em>;
  if (contentOf(text).kind === "json") return <ContentView text={text} />;
  return <div class="plain">{text}</div>;
}

function JsonTree({ text }: { readonly text: string }) {
  const root = useMemo(() => parseTree(text), [text]);
  return root === undefined ? (
    <div class="plain">{text}</div>
  ) : (
    <div class="json">
      <JsonNode node={root} text={text} depth={0} />
    </div>
  );
}

interface JsonNodeProps {
  readonly node: Node;
  readonly text: string;
  readonly depth: number;
  readonly name?: string;
}

function JsonNode({ node, text, depth, name }: JsonNodeProps) {
  const [most, setMost] = useState(mostMembers);
  const [isOpen, setOpen] = useState(depth < 2);
  const label = name === undefined ? null : <span class="name">{name}: </span>;
  const { type, children = [] } = node;
  if (children.length === 0)
    return (
      <div class="value">
        {label}
        {/* As it is written: a big number would lose digits. */}
        <span class={type}>{text.slice(node.offset, node.offset + node.length)}</span>
      </div>
    );
  const [before, after] = type === "object" ? ["{", "}"] : ["[", "]"];
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {label}
        <span class="faint">
          {before}
          {children.length}
          {after}
        </span>
      </summary>
      {isOpen && (
        <div class="members">
          {children.slice(0, most).map((child, at) => {
            const [key, value = child] = child.type === "property" ? (child.children ?? []) : [];
            return (
              <JsonNode
                key={at}
                node={value}
                text={text}
                depth={depth + 1}
                name={String(key?.value ?? at)}
              />
            );
          })}
          {children.length > most && (
            <button type="button" class="link" onClick={() => setMost(most + 10 * mostMembers)}>
              {l10n.t("{0} more", children.length - most)}
            </button>
          )}
        </div>
      )}
    </details>
  );
}

interface FoldProps {
  /** Remembers what a person opened and closed. */
  readonly id: string;
  /** Counts when it is first shown: what is read must not fold by itself. */
  readonly isOpen: boolean;
  readonly label: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Its content is drawn only while it is open. */
export function Fold({ id, isOpen, label, children }: FoldProps) {
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
