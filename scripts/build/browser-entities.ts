/** In the pages' bundle in place of the package "entities", a table of 2,000 names: the browser has it. markdown-it asks for no more than this. */
export function decodeHTMLStrict(entity: string): string {
  const text = document.createElement("textarea");
  text.innerHTML = entity;
  const decoded = text.textContent;
  // The beginning of an unknown name may be one that needs no semicolon.
  return decoded.length > 1 && decoded.endsWith(";") ? entity : decoded;
}
