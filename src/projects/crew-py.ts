import { bodyBelow, definitionBelow, indentOf, withoutInert } from "./python-text.ts";

/** A class with `@CrewBase`, found without a Python parser. */
export interface CrewClass {
  readonly name: string;
  /** Those that crewAI calls to build the crew, in the order of the file. */
  readonly methods: readonly CrewMethod[];
  /** The file of the agents or tasks that the class names; undefined if it names none, null if only Python knows it. */
  readonly agentsConfig: string | null | undefined;
  readonly tasksConfig: string | null | undefined;
}

export interface CrewMethod {
  readonly kind: "agent" | "task" | "crew";
  readonly name: string;
  /** What it takes from `agents_config` or `tasks_config`; undefined for nothing, null if that can't be read. */
  readonly config?: string | null;
  /** The method of its agent, where Python says it. */
  readonly agent?: string;
  /** `human_input=True`. */
  readonly asks?: true;
  /** Makes tasks that no method of the class makes. */
  readonly makesTasks?: true;
  /** Of the decorator, from 1. */
  readonly line: number;
  readonly column: number;
}

const crewBase = /^\s*@(?:[\w.]+\.)?CrewBase\b/;
const decorator = /^\s*@(?:[\w.]+\.)?(agent|task|crew)\b/;
const usedConfig = /\b(?:agents|tasks)_config\s*(?:\[|\.\s*get\s*\()\s*["']([^"'\n]+)["']/;
const someConfig = /\b(?:agents_config|tasks_config\b|config\s*=)/;
const setting = /^\s*(agents|tasks)_config\s*(?::[^=]*)?=(?!=)/;
const ownTask = /\b(?:Conditional)?Task\s*\(/;
const ownAgent = /\bagent\s*=\s*self\.(\w+)\s*\(/;

/** Each is read by itself. */
const mostClasses = 50;

/** The classes with `@CrewBase`, in the order of the file. */
export function crewClassesIn(text: string): CrewClass[] {
  const source = text.split(/\r?\n/);
  const code = withoutInert(text).split(/\r?\n/);
  let found = 0;
  // A line belongs to one class only.
  let end = 0;
  return code.flatMap((line, index) => {
    const isMeant = index >= end && crewBase.test(line);
    const below = isMeant ? definitionBelow(code, index) : undefined;
    if (below?.isClass !== true || (found += 1) > mostClasses) return [];
    const start = below.index + 1;
    const body = bodyBelow(code, below.index);
    end = start + body.length;
    const own = source.slice(start, end);
    const methods = methodsIn(body, own, start);
    return [
      {
        name: below.name,
        methods,
        agentsConfig: configIn("agents", body, own),
        tasksConfig: configIn("tasks", body, own),
      },
    ];
  });
}

/** @param start how many lines come before the class's body */
function methodsIn(body: readonly string[], source: readonly string[], start: number) {
  let end = 0;
  return body.flatMap((line, index): CrewMethod[] => {
    const kind = index < end ? undefined : decorator.exec(line)?.[1];
    const below = kind === undefined ? undefined : definitionBelow(body, index);
    if (!isKind(kind) || below === undefined || below.isClass) return [];
    end = below.index + 1 + bodyBelow(body, below.index).length;
    const linesIn = (lines: readonly string[]) => lines.slice(below.index, end).join("\n");
    const code = linesIn(body);
    const config =
      usedConfig.exec(linesIn(source))?.[1] ?? (someConfig.test(code) ? null : undefined);
    const agent = kind === "task" ? ownAgent.exec(code)?.[1] : undefined;
    return [
      {
        kind,
        name: below.name,
        ...(config !== undefined && { config }),
        ...(agent !== undefined && { agent }),
        ...(/\bhuman_input\s*=\s*True\b/.test(code) && { asks: true }),
        ...(kind === "crew" && ownTask.test(code) && { makesTasks: true }),
        line: start + index + 1,
        column: indentOf(line) + 1,
      },
    ];
  });
}

function isKind(word: string | undefined): word is CrewMethod["kind"] {
  return word === "agent" || word === "task" || word === "crew";
}

/** Of `agents_config = "…"` among the members of a class. */
function configIn(what: string, body: readonly string[], source: readonly string[]) {
  const indent = indentOf(body.find((line) => line.trim() !== "") ?? "");
  const at = body.findLastIndex(
    (line) => indentOf(line) === indent && setting.exec(line)?.[1] === what,
  );
  if (at < 0) return undefined;
  return (
    /=\s*(?:"([^"\\]+)"|'([^'\\]+)')\s*(?:#.*)?$/
      .exec(source[at] ?? "")
      ?.slice(1)
      .join("") ?? null
  );
}
