import * as l10n from "@vscode/l10n";
import path from "node:path";
import { parse, TomlError, type TomlTable } from "smol-toml";
import { isFile, readText } from "./files.ts";
import { ProjectError, type Position } from "./types.ts";

/** What a crew's `pyproject.toml` says of it. */
export interface PyProject {
  readonly name?: string;
  /** `[tool.crewai] type`: "crew" or "flow". */
  readonly type?: string;
  /** `[tool.crewai] definition`: the declarative crew's file, where there is one (crewAI 1.14.8). */
  readonly definition?: string;
  /** Where a key of `[tool.crewai]` stands. */
  at(key: "type" | "definition"): Position;
}

const file = "pyproject.toml";

/**
 * Reads a folder's `pyproject.toml`; nothing where there is none.
 * @throws ProjectError where it is not TOML or a key has the wrong type
 */
export async function readPyProject(folder: string): Promise<PyProject | undefined> {
  if (!(await isFile(path.join(folder, file)))) return undefined;
  const { text } = await readText(folder, file);
  const at = (key: string): Position => positionOf(text, key);
  const root = parseToml(text);
  const crewai = tableIn(tableIn(root, "tool"), "crewai");
  const name = textIn(tableIn(root, "project"), "name", at);
  const type = textIn(crewai, "type", at);
  const definition = textIn(crewai, "definition", at);
  return {
    ...(name === undefined ? {} : { name }),
    ...(type === undefined ? {} : { type }),
    ...(definition === undefined ? {} : { definition }),
    at,
  };
}

function parseToml(text: string): TomlTable {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const problem = error.message.split("\n", 1)[0] ?? l10n.t("This is not TOML");
    throw new ProjectError(`${problem}.`, l10n.t("valid TOML."), {
      file,
      line: error.line,
      column: error.column,
    });
  }
}

function tableIn(table: TomlTable | undefined, key: string): TomlTable | undefined {
  const value = table?.[key];
  // A date is the only object of TOML besides tables and arrays.
  return typeof value === "object" && !Array.isArray(value) && !(value instanceof Date)
    ? value
    : undefined;
}

function textIn(
  table: TomlTable | undefined,
  key: string,
  at: (key: string) => Position,
): string | undefined {
  const value = table?.[key];
  if (value === undefined || typeof value === "string") return value;
  throw new ProjectError(
    l10n.t('"{0}" is not text.', key),
    l10n.t('"{0}" with a text in quotes.', key),
    at(key),
  );
}

/** The parser gives no positions of values, so the key is looked for below the table's heading. */
function positionOf(text: string, key: string): Position {
  const lines = text.split("\n");
  const heading = lines.findIndex((line) => /^\s*\[\s*tool\s*\.\s*crewai\s*\]/.test(line));
  const below = lines.findIndex(
    (line, index) =>
      index > heading && new RegExp(`^\\s*(tool\\.crewai\\.)?${key}\\s*=`).test(line),
  );
  const line = Math.max(below >= 0 ? below : heading, 0);
  return { file, line: line + 1, column: (/\S/.exec(lines[line] ?? "")?.index ?? 0) + 1 };
}
