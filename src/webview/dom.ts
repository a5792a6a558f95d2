/** What an element is given besides its children. */
interface Attributes {
  readonly class?: string;
  readonly id?: string;
  /** Any other attribute by its name. */
  readonly [name: string]: string | undefined;
}

/** Makes an element. Strings among the children become text nodes and are never read as markup. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A button that does something, and never submits anything by itself. */
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

/** An element id that is used nowhere else in the page. Never made from a name that a crew gave. */
export function newId(): string {
  count += 1;
  return `part-${count}`;
}
