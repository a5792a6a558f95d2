import * as l10n from "@vscode/l10n";
import path from "node:path";
import { parse, TomlError, type TomlTable } from "smol-toml";
import { isFile, Reading } from "./reading.ts";
import { ProjectError, type Position } from "./types.ts";

/** What a crew needs of `pyproject.toml`. What can't be read is left out: crewAI builds the crew without it. */
export interface PyProject {
  readonly name: string | undefined;
  readonly isCrewai: boolean;
  /** "crew" or "flow". */
  readonly type: string | undefined;
  /** The declarative crew's file (crewAI 1.14.8). */
  readonly definition: string | undefined;
  /** Whether pip can install it with what it depends on. */
  readonly isPackage: boolean;
  /** The position of a key of `[tool.crewai]`. */
  readonly at: (key: string) => Position;
}

const tomlFile = "pyproject.toml";

export async function readPyProject(reading: Reading): Promise<PyProject | undefined> {
  if (!(await isFile(path.join(reading.folder, tomlFile)))) return undefined;
  const { text = "" } = (await reading.attempt(() => reading.text(tomlFile), "warning")) ?? {};
  const at = (key: string): Position => positionOf(text, key);
  const root = parsePast(text, reading);
  const textIn = (table: TomlTable | undefined, key: string): string | undefined => {
    const value = table?.[key];
    if (value === undefined || typeof value === "string") return value;
    const expected = l10n.t('"{0}" with text in quotes.', key);
    reading.report(
      new ProjectError(l10n.t('"{0}" is not text.', key), expected, at(key)),
      "warning",
    );
    return undefined;
  };
  const project = tableIn(root, "project");
  const crewai = tableIn(tableIn(root, "tool"), "crewai");
  return {
    name: textIn(project, "name"),
    isCrewai: crewai !== undefined,
    type: textIn(crewai, "type"),
    definition: textIn(crewai, "definition"),
    isPackage: project !== undefined && tableIn(root, "build-system") !== undefined,
    at,
  };
}

/** What says that a folder has a crew. Undefined without `[tool.crewai]`. */
export async function projectHints(folder: string): Promise<PyProject | undefined> {
  const project = await readPyProject(new Reading(folder));
  return project?.isCrewai === true ? project : undefined;
}

/** The project that a crew's folder belongs to, which has its Python and its `.env`: the nearest folder at or above it with `[tool.crewai]`, else the folder. */
export async function projectRoot(folder: string): Promise<string> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if ((await projectHints(at)) !== undefined) return at;
    if (path.dirname(at) === at) return path.resolve(folder);
  }
}

/** A file with more errors is none. */
const mostErrors = 20;

/** Reads past errors: without the lines that have one. */
function parsePast(text: string, reading: Reading): TomlTable {
  const lines = text.split("\n");
  for (let count = 0; count < mostErrors; count += 1)
    try {
      return parse(lines.join("\n"));
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      const problem = error.message.split("\n", 1)[0] ?? "";
      const position = { file: tomlFile, line: error.line, column: error.column };
      // Others often follow from the first.
      if (count === 0)
        reading.report(new ProjectError(`${problem}.`, l10n.t("valid TOML."), position), "warning");
      lines[error.line - 1] = "";
    }
  return {};
}

function tableIn(table: TomlTable | undefined, key: string): TomlTable | undefined {
  const value = table?.[key];
  // A date is TOML's only other object.
  return typeof value === "object" && !Array.isArray(value) && !(value instanceof Date)
    ? value
    : undefined;
}

/** Searches the text: the parser gives no positions. */
function positionOf(text: string, key: string): Position {
  const lines = text.split("\n");
  const heading = lines.findIndex((line) => /^\s*\[\s*tool\s*\.\s*crewai\s*\]/.test(line));
  const below = lines.findIndex(
    (line, index) => index > heading && /^\s*(?:tool\.crewai\.)?(\w+)\s*=/.exec(line)?.[1] === key,
  );
  const line = Math.max(below >= 0 ? below : heading, 0);
  const column = (/\S/.exec(lines[line] ?? "")?.index ?? 0) + 1;
  return { file: tomlFile, line: line + 1, column };
}
