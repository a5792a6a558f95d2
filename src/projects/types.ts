import * as l10n from "@vscode/l10n";

/** A place in a file. Line and column count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** An agent of a crew project. Its text keeps the `{placeholders}`. */
export interface ProjectAgent {
  readonly name: string;
  readonly role: string;
  readonly goal: string;
  readonly backstory: string;
}

/** A task of a crew project. Its text keeps the `{placeholders}`. */
export interface ProjectTask {
  /** The YAML key or the JSON `name`, else `task_<n>` (from 1). */
  readonly id: string;
  readonly description: string;
  readonly expectedOutput: string;
  readonly agent?: string;
  /** Ids of earlier tasks whose outputs it sees; absent means all earlier ones. */
  readonly context?: readonly string[];
  /** Whether a person must approve its output. */
  readonly humanInput: boolean;
}

/** A crew project, read without running it. Plain data, so that it can be stored with an execution. */
export interface CrewProject {
  readonly kind: "classic" | "declarative";
  readonly name: string;
  readonly agents: readonly ProjectAgent[];
  /** In the order they run; at least one. */
  readonly tasks: readonly ProjectTask[];
  /** Names of the `{placeholders}` in agents and tasks, in order of first appearance. */
  readonly inputs: readonly string[];
  /** Values for inputs that a kickoff omits (`inputs` of a declarative crew). */
  readonly defaults?: Readonly<Record<string, unknown>>;
}

/** A project can't be read. The message says where, and what is expected there. */
export class ProjectError extends Error {
  readonly position: Position | undefined;

  constructor(problem: string, expected: string, position?: Position) {
    const place = position ? `${position.file}:${position.line}:${position.column}: ` : "";
    super(place + l10n.t("{0} Expected: {1}", problem, expected));
    this.name = "ProjectError";
    this.position = position;
  }
}
