/** As RFC 4180 has it: a field in quotes may have commas, line breaks, and quotes, which are doubled. No spreadsheet takes one for a formula. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  const field = (given: string) => {
    const text = /^[=+\-@\t\r]/.test(given) && Number.isNaN(Number(given)) ? `'${given}` : given;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(field).join(",")}\n`).join("");
}

/** Of the same format, by the names in the first row. Empty lines don't count. One with more fields, as with a comma in a text without quotes, has no values. */
export function rowsOfCsv(text: string) {
  const rows: { readonly line: number; readonly fields: readonly string[] }[] = [];
  let [line, begin] = [1, 1];
  let fields: string[] = [];
  for (const [whole, quoted, plain = "", end] of text
    .replace(/^\uFEFF/, "")
    .matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n?|\n|$)/g)) {
    fields.push(quoted?.replaceAll('""', '"') ?? plain);
    line += whole.split(/\r\n?|\n/).length - 1;
    if (end === ",") continue;
    if (fields.length > 1 || fields[0] !== "") rows.push({ line: begin, fields });
    [fields, begin] = [[], line];
  }
  const [names, ...others] = rows;
  const columns = names?.fields.map((name) => name.trim()) ?? [];
  return others.map(({ line, fields }) => {
    const isNamed = fields.slice(columns.length).every((field) => field === "");
    const values = columns.map((name, index) => [name, fields[index] ?? ""] as const);
    return { line, values: isNamed ? Object.fromEntries(values) : undefined };
  });
}
