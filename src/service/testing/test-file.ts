import { Ajv } from "ajv";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import schema from "../../../media/kickoff.schema.json" with { type: "json" };
import { readRegularFile } from "../../base/files.ts";
import { existsSync } from "node:fs";
import {
  asObject,
  defined,
  isObject,
  parseJson,
  textAt,
  type JsonObject,
  type JsonValue,
} from "../../base/json.ts";
import type { NamedTest, TestKickoff, TestPlace } from "../../base/window-protocol.ts";
import { projectRoot } from "../../projects/pyproject.ts";
import { parseJsonc, type Place } from "../../projects/source.ts";
import { ProjectError } from "../../projects/types.ts";
import { ApiError, unreadable } from "../errors.ts";
import { explain } from "../server/config.ts";
import { rowsOfCsv } from "../../base/csv.ts";

export interface Expectation {
  readonly task?: string;
  /** From 1; by default the last one. */
  readonly attempt?: number;
  readonly contains?: string;
  readonly matches?: string;
  readonly equals?: string;
  readonly jsonSchema?: JsonObject;
  readonly maxWords?: number;
  readonly calls?: readonly ExpectedCalls[];
  readonly maxSeconds?: number;
  readonly maxTokens?: number;
  readonly maxCost?: number;
  /** A question about the output, which the project's model answers with a grade from 0 to 10. */
  readonly judge?: string;
  readonly minGrade?: number;
}

/** Of a tool: by default, it was called at least once. */
export interface ExpectedCalls {
  readonly tool: string;
  readonly min?: number;
  readonly max?: number;
  /** Each call that counts has these among its arguments. */
  readonly arguments?: JsonObject;
}

export interface TestCase extends NamedTest, Omit<TestKickoff, "expect" | "replay"> {
  readonly expect: readonly (JsonObject & Expectation)[];
  readonly places: readonly TestPlace[];
  readonly tools?: "live" | readonly string[] | undefined;
  readonly recording: string;
}

interface Content {
  readonly crew?: string | null;
  readonly inputs?: JsonObject | null;
  readonly meta?: JsonObject | null;
  readonly approveTools?: readonly string[] | null;
  readonly limits?: JsonObject | null;
  readonly answers?: TestCase["answers"];
  readonly expect?: TestCase["expect"];
  readonly cases?: string | readonly JsonObject[];
  readonly tools?: "live" | readonly string[];
}

export const suffix = ".kickoff.json";

const longestFile = 10_000_000;

const ajv = new Ajv({ allErrors: true, verbose: true, strict: false });
// The usual format takes patterns that can't be used, such as "\\-".
ajv.addFormat("regex", (pattern: string) => {
  try {
    return Boolean(new Ajv({ strict: false }).compile({ pattern }));
  } catch {
    return false;
  }
});
const isExpectation = ajv.compile<JsonObject & Expectation>(schema.definitions.expectation);
const isContent = ajv.compile<Content>({ ...schema, anyOf: [{}] });

/** The cases of a file; none for a request file without expectations. @throws {ProjectError} with the place */
export async function readTestFile(file: string): Promise<readonly TestCase[]> {
  const text = await readText(file);
  const shown = relative(process.cwd(), file);
  const place = parseJsonc({ file: shown, text }, { report: raise, broken: new Set() });
  const content: unknown = place.plain();
  if (!isContent(content)) {
    const [error] = isContent.errors ?? [];
    throw error ? explain(error, place) : new ProjectError(`${shown} is not valid.`);
  }
  const { answers = {}, expect: given = [], cases, tools } = content;
  if (given.length === 0 && cases === undefined && !Object.hasOwn(content, "answers")) return [];
  const [folder = "", crewClass] = await crewOf(file, content.crew ?? undefined, place);
  const asserted = await assertionsOf(await projectRoot(folder));
  const expect = [...given, ...asserted.map(({ expected }) => expected)];
  const places = [
    ...(place.inside.get("expect")?.list ?? []).map(({ position: { line } }) => ({ file, line })),
    ...asserted.map(({ at }) => at),
  ];
  const approveTools = content.approveTools ?? undefined;
  const [limits, meta] = [content.limits ?? undefined, content.meta ?? undefined];
  const others = defined({ approveTools, limits, meta });
  const shared = { file, folder, crewClass, answers, tools, ...others };
  const stem = file.slice(0, -suffix.length);
  if (cases === undefined)
    return [
      {
        ...{ ...shared, number: 0, name: "", inputs: content.inputs ?? {}, expect, places },
        ...{ at: { file, line: 1 }, recording: `${stem}.recording.jsonl` },
      },
    ];
  const rows = await rowsOf(file, cases, place);
  return rows.map(({ row, at }, index) => {
    const number = index + 1;
    const { label: name = `case ${number}`, inputs, own } = columnsOf(row);
    if (!isExpectation(own))
      throw new ProjectError(
        `${relative(process.cwd(), at.file)}:${at.line}: ${problemOf("expect")}`,
      );
    const isOwn = Object.keys(own).length > 0;
    return {
      ...{ ...shared, number, name, at, inputs: { ...content.inputs, ...inputs } },
      ...{ expect: isOwn ? [...expect, own] : expect, places: [...places, at] },
      recording: `${stem}.${number}.recording.jsonl`,
    };
  });
}

export function checkExpectations(expect: readonly unknown[]): void {
  for (const [at, one] of expect.entries())
    if (!isExpectation(one)) throw new ApiError(400, problemOf(`test.expect.${at}`));
}

function problemOf(name: string): string {
  const [error] = isExpectation.errors ?? [];
  const which = Object.values(error?.params ?? {}).map(String);
  const path = error?.instancePath.replaceAll("/", ".") ?? "";
  return `${name}${path} is not valid: it ${error?.message ?? ""} (${which.join(", ")}).`;
}

function raise(error: ProjectError): never {
  throw error;
}

async function readText(file: string): Promise<string> {
  try {
    return (await readRegularFile(file, longestFile)).toString("utf8");
  } catch (error) {
    throw new ProjectError(unreadable(file, error));
  }
}

/**
 * What the project's `eval.jsonc` expects of each result. `crewai eval` writes the file and sends it to the platform unread; crewAI
 * 1.15.30 names assertions `contains` and `regex` in its AGENTS.md. Everything else in it is for the platform.
 */
async function assertionsOf(root: string) {
  const file = join(root, "eval.jsonc");
  if (!existsSync(file)) return [];
  const shown = { file: relative(process.cwd(), file), text: await readText(file) };
  const place = parseJsonc(shown, { report: raise, broken: new Set() });
  return (place.inside.get("assertions")?.list ?? []).flatMap((one) => {
    const given = asObject(one.plain());
    const [kind = ""] = [textAt(given, "type")];
    const text = (of: string) =>
      textAt(given, of) ?? (kind === of ? textAt(given, "value", "pattern", "text") : undefined);
    const expected = defined({ contains: text("contains"), matches: text("regex") });
    if (Object.keys(expected).length === 0) return [];
    return [{ expected, at: { file, line: one.position.line } }];
  });
}

/** The project's folder, and the class of several. By default, the project in whose folder the file is. */
async function crewOf(file: string, crew: string | undefined, place: Place) {
  if (crew === undefined) return [await projectRoot(dirname(file))];
  const [folder = "", crewClass] = crew.split("#");
  if (/^\.{0,2}[/\\]|^\.{1,2}$/.test(folder)) return [resolve(dirname(file), folder), crewClass];
  const at = place.inside.get("crew") ?? place;
  throw at.error(
    `A test runs a project on this machine, so "crew" is its folder, such as ./.. Without "crew", it is the project of the test's folder.`,
  );
}

interface Row {
  readonly row: JsonObject;
  readonly at: TestPlace;
}

async function rowsOf(
  file: string,
  cases: string | readonly JsonObject[],
  place: Place,
): Promise<readonly Row[]> {
  const at = place.inside.get("cases") ?? place;
  if (typeof cases !== "string")
    return cases.map((row, index) => ({
      ...{ row, at: { file, line: (at.list[index] ?? at).position.line } },
    }));
  const other = join(dirname(file), cases);
  const text = await readText(other);
  if (/\.csv$/i.test(cases))
    return rowsOfCsv(text).map(({ line, values }) => {
      if (values === undefined)
        throw at.error(
          `Line ${line} of ${cases} has more fields than the first row. A text with commas needs quotes.`,
        );
      const given = Object.entries(values).flatMap(([name, field]) => {
        const value = valueOf(name, field);
        return value === undefined ? [] : [[name, value] as const];
      });
      return { row: Object.fromEntries(given), at: { file: other, line } };
    });
  return text.split("\n").flatMap((text, index) => {
    if (text.trim() === "") return [];
    const row = parseJson(text);
    if (isObject(row)) return [{ row: row as JsonObject, at: { file: other, line: index + 1 } }];
    throw at.error(`Line ${index + 1} of ${cases} is not a JSON object.`);
  });
}

/** Inputs are texts. An expectation may be a number, and an empty one is none. */
function valueOf(name: string, field: string): JsonValue | undefined {
  if (!name.startsWith("expect.")) return field;
  if (field === "") return undefined;
  return /^expect\.(max|min|attempt)/.test(name) ? Number(field) : field;
}

/** What is expected of the result in a case's own columns, such as `expect.contains`. */
function columnsOf(row: JsonObject) {
  const inputs: Record<string, JsonValue> = {};
  const own: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(row))
    if (name.startsWith("expect.")) own[name.slice("expect.".length)] = value;
    else if (name !== "label") inputs[name] = value;
  return { label: textAt(row, "label"), inputs, own };
}

export async function kickoffOf(test: TestCase): Promise<TestKickoff> {
  const { inputs, expect, answers, tools, recording, folder } = test;
  const file = relative(await projectRoot(folder), recording).replaceAll(sep, "/");
  const { meta, approveTools, limits } = test;
  const replay = { file, ...(tools && { tools }) };
  return { inputs, expect, answers, replay, ...defined({ meta, approveTools, limits }) };
}

export function withModel(test: TestCase, model: string): TestCase {
  const named = `.${model.replaceAll(/[^\w.-]/g, "-")}.recording.jsonl`;
  return { ...test, model, recording: test.recording.replace(/\.recording\.jsonl$/, named) };
}

export function titleOf({ file, name, model }: Pick<TestCase, "file" | "name" | "model">): string {
  const shown = relative(process.cwd(), file).replaceAll(sep, "/") || basename(file);
  return [shown, ...(name === "" ? [] : [name]), ...(model === undefined ? [] : [model])].join(
    " › ",
  );
}
