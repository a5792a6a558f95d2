import type { SQLOutputValue } from "node:sqlite";

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** The text in a column. @throws TypeError if there is none */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`The column "${column}" holds no text.`);
  return value;
}

/** The text in a column that may be null. @throws TypeError for another type */
export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column);
}

/** The number in a column. @throws TypeError if there is none */
export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw new TypeError(`The column "${column}" holds no number.`);
  return value;
}
