/** Moves the focus. What is folded away can't get it. */
export function reveal(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  const folded = element?.closest("details");
  if (folded) folded.open = true;
  element?.focus();
  return element !== null;
}
