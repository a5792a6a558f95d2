import type { JsonObject } from "../base/json.ts";
import { filledIn } from "../base/text.ts";

/** Line and column count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Exclusive; undefined for a mapping or list without a key. */
  readonly end?: { readonly line: number; readonly column: number };
}

/** Its text keeps the `{placeholders}`. */
export interface ProjectAgent {
  readonly name: string;
  readonly role: string;
  readonly goal: string;
  readonly backstory: string;
  /** What else decides its outputs, as text to compare: its tools. */
  readonly extras?: string;
}

export interface ProjectTask {
  /** The YAML key or the JSON `name`, else `task_<n>` (from 1). */
  readonly id: string;
  readonly description: string;
  readonly expectedOutput: string;
  readonly agent?: string;
  /** By default all earlier ones. */
  readonly context?: readonly string[];
  readonly humanInput: boolean;
  /** What else decides its output, as text to compare: its tools and output models. */
  readonly extras?: string;
}

/** Plain data, so that it can be stored with an execution. */
export interface CrewProject {
  /** Of a flow, the tasks are its methods, and none of the inputs is required. */
  readonly kind: "classic" | "declarative" | "flow";
  /** The file that defines the crew for crewAI, in the project's folder: `crew.jsonc`, `crew.py`, or a flow's `main.py`. */
  readonly entry: string;
  readonly crewClass?: string;
  readonly name: string;
  readonly agents: readonly ProjectAgent[];
  readonly tasks: readonly ProjectTask[];
  /** Names of inputs, in order of first appearance; any text can be one. */
  readonly inputs: readonly string[];
  /** `inputs` of a declarative crew, for those that a kickoff omits. */
  readonly defaults?: JsonObject;
  readonly inputSchema?: JsonObject;
  /** What only Python knows all of, besides the inputs: the agents, or the tasks, too. */
  readonly lacks?: "agents" | "tasks";
  /** Where Python built the tasks: fingerprints, by ID, of those that the files define. */
  readonly asRead?: Readonly<Record<string, string>>;
}

/** What could be read of a project, and what is wrong with it. Whether crewAI runs it, only its Python knows. */
export interface ProjectReading {
  readonly project: CrewProject;
  readonly problems: readonly ProjectError[];
}

/** The project, if it can be rehearsed. @throws {ProjectError} the first problem */
export function toRehearse({ project, problems }: ProjectReading): CrewProject {
  const [first] = problems;
  if (first !== undefined) throw first;
  return project;
}

export class ProjectError extends Error {
  override readonly name = "ProjectError";
  readonly position: Position | undefined;
  readonly text: string;

  constructor(text: string, position?: Position) {
    super(position ? `${position.file}:${position.line}:${position.column}: ${text}` : text);
    this.position = position;
    this.text = text;
  }
}

/**
 * The names of the inputs that a deployed crew asks for (`Crew.fetch_inputs` of crewAI: everything between two braces
 * on a line, JSON and code included), and those that crewAI fills, which may be part of them: of `{{topic}}`, `{topic`
 * and `topic`. In order of first appearance. Each text is an agent's or a task's, joined as crewAI joins them.
 */
export function inputNames(texts: Iterable<string>): string[] {
  const names = new Set<string>();
  for (const text of texts)
    for (const name of marksIn(text)) {
      names.add(name);
      names.add(filledIn(name) ?? name);
    }
  return [...names];
}

/** As `\{.+?}` finds them, which would take long for a line of opening braces. */
function* marksIn(text: string): Generator<string> {
  for (const line of text.split("\n"))
    for (let start = line.indexOf("{"); start >= 0;) {
      const end = line.indexOf("}", start + 2);
      if (end < 0) break;
      yield line.slice(start + 1, end);
      start = line.indexOf("{", end + 1);
    }
}
