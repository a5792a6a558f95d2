import MarkdownIt from "markdown-it";

const parser = new MarkdownIt({ html: true });

/** What VS Code searches for in a text (vscode-markdown-languageservice 0.5, documentLinks.js and noLinkRanges.js). */
const inlineCode = /(?<!`)(`+)((?:.+?|.*?(?:(?:\r?\n).+?)*?)(?:\r?\n)?\1)(?!`)/gm;
const inlineLink =
  /(?<!\\)(!?\[(?:[^[\]\\]|\\.|\[[^[\]]*\])*\])(\(\s*)([^\s()<](?:[^\s()]|\([^\s()]*?\))*|<(?:\\[<>]|[^<>])+>)\s*(?:"[^"]*"|'[^']*'|\([^()]*\))?\s*\)/g;
const autoLink = /(?<!\\)(<)()(\w+:[^>\s]+)>/g;
const definition =
  /^([\t ]*(?<!\\)\[(?!\^)(?:\\\]|\\\[|[^\][\n])+\]:)([\t ]*)([^<]\S*|<(?:\\[<>]|[^<>])+>)/gm;
const attribute = /(<\w[^<>]*?\b)((?:href|src|data|poster|cite)\s*=\s*["']?)([^"'>]*)/gi;

/** Approximates the links that VS Code's Markdown extension makes in an editor: the addresses with a scheme, in no particular order. */
export function markdownLinks(text: string): readonly string[] {
  return markdownTargets(text).filter((address) => /^[a-z-][a-z-]+:/i.test(address));
}

/** What all links and pictures lead to, with and without a scheme. */
export function markdownTargets(text: string): readonly string[] {
  const blocks = parser
    .parse(text, {})
    .filter(
      ({ type, map }) => map !== null && ["code_block", "fence", "html_block"].includes(type),
    );
  const code = [...text.matchAll(inlineCode)].map(
    ({ index, 0: { length } }) => [index, index + length] as const,
  );
  const isCode = (at: number, besides?: string) => {
    const line = text.slice(0, at).split("\n").length - 1;
    return (
      blocks.some(
        ({ type, map }) => type !== besides && map !== null && line >= map[0] && line < map[1],
      ) || code.some(([start, end]) => at >= start && at <= end)
    );
  };
  return [inlineLink, autoLink, definition, attribute].flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(
      ({ index, 1: before = "", 2: mark = "", 3: address = "" }) => {
        const isAttribute = pattern === attribute;
        const place = pattern === definition ? index : index + before.length + mark.length;
        if (isCode(place, isAttribute ? "html_block" : undefined)) return [];
        return [
          isAttribute
            ? address.replace(
                /&#x([\da-f]+);?|&#(\d+);?|&colon;?/gi,
                (_, hex?: string, decimal?: string) => characterOf(hex, decimal),
              )
            : address.replace(/^<(.*)>$/, "$1"),
        ];
      },
    ),
  );
}

/** The character of a reference in an attribute, however many zeros it begins with. */
function characterOf(hex: string | undefined, decimal: string | undefined): string {
  if (hex === undefined && decimal === undefined) return ":";
  const code = decimal === undefined ? parseInt(hex ?? "", 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "\uFFFD";
}
