import * as l10n from "@vscode/l10n";
import type { InputField, JsonObject } from "../api/types.ts";
import { rowsOfCsv } from "../base/csv.ts";
import { UserError } from "../base/errors.ts";
import { isObject, parseJson } from "../base/json.ts";
import { oneLine } from "../base/text.ts";
import type { BatchRow } from "../sending/batches.ts";
import { checkInputs, isHarmless } from "./request-files/request-file.ts";

const most = 1_000;

/**
 * Of a CSV file whose first line names the inputs, or of a file with an array or lines of JSON objects. The column `label` names a row,
 * unless it is an input.
 * @param fields of the crew; undefined if they aren't known
 * @throws UserError for the first row that the crew would refuse
 */
export function readRows(
  name: string,
  text: string,
  fields: readonly InputField[] | undefined,
): readonly BatchRow[] {
  const isCsv = /\.csv$/i.test(name);
  const rows = isCsv ? rowsIn(text, fields) : valuesIn(text);
  if (rows.length === 0) throw new UserError(l10n.t("{0} has no rows.", name));
  if (rows.length > most)
    throw new UserError(l10n.t("{0} has more than {1} rows.", name, String(most)));
  const isInput = fields?.some((field) => field.name === "label") === true;
  return rows.map((row, at) => {
    const refuse = (problem: string): never => {
      throw new UserError(l10n.t("{0}, row {1}: {2} Nothing was sent.", name, at + 1, problem));
    };
    if (!isInputs(row))
      return refuse(
        isCsv
          ? l10n.t("It has more fields than the first row. A text with commas needs quotes.")
          : l10n.t("It is not a JSON object."),
      );
    const { label, ...others } = row;
    const inputs = isInput || label === undefined ? row : others;
    const fault = checkInputs(inputs, fields).find((each) => !isHarmless(each));
    if (fault !== undefined) return refuse(fault.text);
    const named = (isInput ? undefined : label) ?? Object.values(inputs)[0] ?? "";
    return {
      request: { inputs },
      label: oneLine(typeof named === "string" ? named : JSON.stringify(named), 60),
    };
  });
}

function rowsIn(text: string, fields: readonly InputField[] = []): readonly unknown[] {
  const others = new Set(
    fields.flatMap(({ name, type = "string" }) => (type === "string" ? [] : [name])),
  );
  return rowsOfCsv(text).map(
    ({ values }) =>
      values &&
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          others.has(name) ? (parseJson(value) ?? value) : value,
        ]),
      ),
  );
}

function valuesIn(text: string): readonly unknown[] {
  const whole = parseJson(text);
  if (Array.isArray(whole)) return whole;
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [parseJson(line)]));
}

function isInputs(value: unknown): value is JsonObject {
  return isObject(value);
}
