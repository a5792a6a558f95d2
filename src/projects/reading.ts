import type { TextFile } from "./files.ts";
import { ProjectError, type ProjectProblem } from "./types.ts";

/** How a project is read: where its text comes from, and where its problems go. */
export interface Reading {
  readonly folder: string;
  /** Rejects with a ProjectError. */
  readonly text: (file: string) => Promise<TextFile>;
  /** Keeps the problem (by default an error), or throws it, which ends the reading. */
  readonly report: (error: ProjectError, kind?: ProjectProblem["kind"]) => void;
  /** Files that can't be parsed: what is missing in them is no problem of its own. */
  readonly broken: Set<string>;
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
