import {
  applyEdits,
  createScanner,
  findNodeAtLocation,
  parseTree,
  type Edit,
  type Node,
} from "jsonc-parser";
import type { ServerToken } from "./config.ts";

// jsonc-parser's own `modify` moves or deletes the comments beside a changed item, and breaks lists on one line.

/** The text of a valid configuration with one more token. Comments stay where they are. */
export function withToken(text: string, token: ServerToken): string {
  const root = rootOf(text);
  const list = findNodeAtLocation(root, ["tokens"]);
  const members = Object.entries(token).map(
    ([name, value]) => `"${name}": ${JSON.stringify(value)}`,
  );
  const item = `{ ${members.join(", ")} }`;
  if (list) return append(text, list, item, "  ");
  return append(text, root, `"tokens": [\n    ${item}\n  ]`, "");
}

/** The text of a valid configuration without the token at this place of the list. */
export function withoutToken(text: string, index: number): string {
  const items = findNodeAtLocation(rootOf(text), ["tokens"])?.children ?? [];
  const [previous, item] = [items[index - 1], items[index]];
  if (!item) return text;
  const comma = commaAfter(text, item) ?? (previous && commaAfter(text, previous));
  // Remove the whole line, unless it has something else.
  const line = {
    start: text.lastIndexOf("\n", item.offset) + 1,
    end: text.indexOf("\n", endOf(item)) + 1,
  };
  const isAlone =
    line.end > 0 &&
    text.slice(line.start, item.offset).trim() === "" &&
    /^\s*(?:,\s*)?$/.test(text.slice(endOf(item), line.end));
  const { start, end } = isAlone ? line : { start: item.offset, end: endOf(item) };
  const edits: Edit[] = [{ offset: start, length: end - start, content: "" }];
  if (comma !== undefined && (comma < start || comma >= end))
    edits.push({ offset: comma, length: 1, content: "" });
  return applyEdits(text, edits);
}

function rootOf(text: string): Node {
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (!root) throw new TypeError("The configuration is empty.");
  return root;
}

/** Adds an item on a line of its own, at the end of a list or object. */
function append(text: string, list: Node, item: string, indent: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const bracket = endOf(list) - 1;
  const offset = text.slice(0, bracket).trimEnd().length;
  const last = list.children?.at(-1);
  const edits: Edit[] = [];
  if (last && commaAfter(text, last) === undefined)
    edits.push({ offset: endOf(last), length: 0, content: "," });
  const rest = text.slice(offset, bracket).includes("\n") ? "" : `\n${indent}`;
  const content = `\n${indent}  ${item}${rest}`.replaceAll("\n", eol);
  // Two edits at the same place have no defined order, so make one of them.
  const [comma] = edits;
  if (comma?.offset === offset) return applyEdits(text, [{ ...comma, content: `,${content}` }]);
  return applyEdits(text, [...edits, { offset, length: 0, content }]);
}

/** The offset of the comma after an item. Skips comments. */
function commaAfter(text: string, item: Node): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(endOf(item));
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === "," ? at : undefined;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}
