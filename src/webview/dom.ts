/** Strings become text nodes, never markup; undefined children are skipped. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string | undefined)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

export function button(
  text: string,
  kind: "primary" | "secondary" | "link",
  onClick: () => void,
): HTMLButtonElement {
  const element = make("button", { type: "button", class: kind }, text);
  element.addEventListener("click", onClick);
  return element;
}

let count = 0;

/** Never derived from remote text. */
export function newId(): string {
  count += 1;
  return `part-${count}`;
}
