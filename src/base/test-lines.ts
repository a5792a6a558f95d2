/** Line counts from 1. */
export interface TestPlace {
  readonly file: string;
  readonly line: number;
}

export interface TestFailure {
  readonly message: string;
  /** For a comparison, where there are texts to compare. */
  readonly expected?: string;
  readonly actual?: string;
  readonly at?: TestPlace;
  /** The recording lacks what the crew asks for now. */
  readonly isUnrecorded?: true;
}

interface NamedTest {
  readonly file: string;
  /** Of a case, from 1; 0 for a file without cases. */
  readonly number: number;
  readonly case: string;
  /** One of those that the command names. */
  readonly model?: string;
  /** The project's. */
  readonly folder: string;
  readonly at: TestPlace;
}

/** What the project's model says to a question about an output. */
export interface Grade {
  readonly task: string;
  readonly question: string;
  /** From 0 to 10. */
  readonly grade: number;
  readonly reason: string;
}

export interface TestOutcome {
  /** `error`: it could not run. */
  readonly state: "passed" | "failed" | "error";
  readonly seconds: number;
  readonly tokens: number;
  /** US dollars, if the prices of all models that were called are known. */
  readonly dollars?: number;
  readonly grades: readonly Grade[];
  readonly failures: readonly TestFailure[];
}

/** What `crewdeck test --json` prints. */
export type TestLine =
  | (NamedTest & { readonly type: "case" })
  | (NamedTest & { readonly type: "started" })
  | (NamedTest & TestOutcome & { readonly type: "test"; readonly text: string })
  | { readonly type: "problem"; readonly message: string; readonly file?: string };
