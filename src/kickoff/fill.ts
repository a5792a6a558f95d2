/** A text with its `{0}`, `{1}` … filled in. */
export function fill(text: string, ...values: readonly (string | number)[]): string {
  return text.replace(/\{(\d)\}/g, (mark, index: string) => String(values[Number(index)] ?? mark));
}
