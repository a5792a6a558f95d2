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

/** Of the heading above what is rendered now: the rules get no more than tokens. */
let above = 0;

const { rules } = markdown.renderer;
const { utils } = markdown;
// An image would be requested from the host that the crew names.
rules.image = (tokens, at) => {
  const token = tokens[at];
  const name = token?.content === "" ? String(token.attrGet("src") ?? "") : (token?.content ?? "");
  return `<span class="image">${utils.escapeHtml(l10n.t("Image, not loaded: {0}", name))}</span>`;
};
// The page's own headings are above those of an output.
for (const part of ["heading_open", "heading_close"])
  rules[part] = (tokens, at, options, _, self) => {
    const token = tokens[at];
    const level = Number(token?.tag.slice(1));
    if (token !== undefined) token.tag = `h${Math.min(6, level + above)}`;
    if (token?.nesting === 1) token.attrSet("class", `level-${level}`);
    return self.renderToken(tokens, at, options);
  };
rules["table_open"] = () => '<div class="table" tabindex="0"><table>';
rules["table_close"] = () => "</table></div>";
// The page's policy allows no style attribute.
for (const part of ["th_open", "td_open"])
  rules[part] = (tokens, at) => {
    const [, align] =
      /text-align:(right|center)/.exec(String(tokens[at]?.attrGet("style") ?? "")) ?? [];
    const tag = part.slice(0, 2);
    return align === undefined ? `<${tag}>` : `<${tag} class="${align}">`;
  };

const tags =
  "a blockquote br code del div em h1 h2 h3 h4 h5 h6 hr li ol p pre s span strong table tbody td th thead tr ul";

/** A text of the crew as elements without scripts, styles, images and forms. @param level of the heading above it */
export function renderMarkdown(text: string, level: number): DocumentFragment {
  above = level;
  return DOMPurify.sanitize(markdown.render(text), {
    ALLOWED_TAGS: tags.split(" "),
    ALLOWED_ATTR: ["href", "class", "start", "tabindex"],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}
