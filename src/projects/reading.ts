import { readText, type TextFile } from "./files.ts";
import type { Place } from "./source.ts";
import { ProjectError, type Position, type ProjectProblem } from "./types.ts";

/** How a project is read: where its text comes from, and where its problems go. */
export interface Reading {
  readonly folder: string;
  /** Rejects with a ProjectError. */
  readonly text: (file: string) => Promise<TextFile>;
  /** Keeps the problem (by default an error), or throws it, which ends the reading. */
  readonly report: (error: ProjectError, kind?: ProjectProblem["kind"]) => void;
  /** Files that can't be parsed: what is missing in them is no problem of its own. */
  readonly broken: Set<string>;
  /** Files that several crews share, parsed once. */
  readonly parsed: Map<string, Place>;
}

/** More than anybody reads. */
const mostProblems = 200;

/**
 * A reading that goes on past problems, of which it keeps the first at each place.
 * @param textOf the text of a file that is being edited; undefined for one on disk
 */
export function collecting(
  folder: string,
  textOf: (file: string) => string | undefined = () => undefined,
): { readonly reading: Reading; readonly problems: readonly ProjectProblem[] } {
  const problems: ProjectProblem[] = [];
  const broken = new Set<string>();
  const isKnown = ({ position, text }: ProjectError) =>
    problems.some(({ error }) =>
      position === undefined ? error.text === text : isSame(error.position, position),
    );
  return {
    problems,
    reading: {
      folder,
      broken,
      parsed: new Map(),
      text: async (file) => {
        const edited = textOf(file);
        return edited === undefined ? await readText(folder, file) : { file, text: edited };
      },
      report: (error, kind = "error") => {
        const isConsequence = broken.has(error.position?.file ?? "");
        if (problems.length < mostProblems && !isConsequence && !isKnown(error))
          problems.push({ error, kind });
      },
    },
  };
}

function isSame(one: Position | undefined, other: Position): boolean {
  return one?.file === other.file && one.line === other.line && one.column === other.column;
}

/** The result, or `otherwise` if there is a problem that is only reported. */
export function attempt<T, Other>(
  report: Reading["report"],
  read: () => T,
  otherwise: Other,
): T | Other {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    report(error);
    return otherwise;
  }
}

/** Like {@link attempt}; undefined if there is a problem. */
export async function tryToRead<T>(
  report: Reading["report"],
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    report(error);
    return undefined;
  }
}
