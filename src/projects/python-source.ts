// What can be said of Python without a parser: the crews and flows in a file.

/** A class with `@CrewBase`, found without a Python parser. */
export interface CrewClass {
  readonly name: string;
  /** Those that crewAI calls to build the crew, in the order of the file. */
  readonly methods: readonly CrewMethod[];
  /** The file of the agents or tasks that the class names; undefined if it names none, null if only Python knows it. */
  readonly agentsConfig: string | null | undefined;
  readonly tasksConfig: string | null | undefined;
  /** Nothing in it can build the crew: it derives from nothing, and mentions none but in a method that would need its decorator. */
  readonly lacksCrew: boolean;
  /** Of the class, from 1. */
  readonly line: number;
  readonly column: number;
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
/** An import of the decorator under another name. */
const renamedCrew = /\bcrew\s+as\b/;
const crewMethod = /^\s*(?:async\s+)?def\s+crew\b/;
/** What only the decorator gives the method. */
const collected = /\bself\.(?:agents|tasks)\b/;
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
    const opening = code[below.index] ?? "";
    return [
      {
        name: below.name,
        methods,
        agentsConfig: configIn("agents", body, own),
        tasksConfig: configIn("tasks", body, own),
        lacksCrew:
          /^\s*class\s+\w+\s*(?:\(\s*\)\s*)?:/.test(opening) &&
          !mayBuildCrew(body) &&
          !code.some((each) => renamedCrew.test(each)),
        line: start,
        column: indentOf(opening) + 1,
      },
    ];
  });
}

function mayBuildCrew(body: readonly string[]): boolean {
  const at = body.findIndex((line) => crewMethod.test(line));
  if (body.some((line, index) => index !== at && line.includes("crew"))) return true;
  const above = body.slice(0, Math.max(at, 0)).findLast((line) => line.trim() !== "") ?? "";
  const isDecorated = /^\s*[@)\]}]/.test(above);
  return at >= 0 && (isDecorated || !body.some((line) => collected.test(line)));
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

/** A flow as its Python says it, found without a Python parser. */
interface FlowText {
  readonly name: string;
  /** In the order of the file. */
  readonly methods: readonly FlowMethod[];
  /** The name of its state's class; undefined for a plain dictionary. */
  readonly state?: string;
}

interface FlowMethod {
  readonly name: string;
  /** Whether it waits for a person: `@human_feedback`. */
  readonly asks: boolean;
}

const classWithBases = /^\s*class\s+(\w+)\s*\(([^)]*)\)/;
const flowBase = /(?:^|[\s,.])Flow\s*(?:\[\s*([\w.]+)|,|$)/;
/** Lines that the bases of a class may take. */
const mostOfBases = 8;
const runs = /^\s*@(?:\w+\.)*(start|listen|router|human_feedback)\b/;

/** The classes that derive from `Flow`. */
export function flowsIn(text: string): FlowText[] {
  const code = withoutInert(text).split(/\r?\n/);
  // A line belongs to one flow only.
  let end = 0;
  return code.flatMap((line, index) => {
    if (index < end || !/^\s*class\b/.test(line)) return [];
    const start = code.slice(index, index + mostOfBases).join("\n");
    const [, name, bases = ""] = classWithBases.exec(start) ?? [];
    const base = flowBase.exec(bases.trim());
    if (name === undefined || base === null) return [];
    const body = bodyBelow(code, index);
    end = index + 1 + body.length;
    const given = body.flatMap(
      (each) => /^\s*initial_state\s*(?::[^=]*)?=\s*(\w+)\s*$/.exec(each) ?? [],
    );
    const state = (base[1] ?? given[1])?.split(".").at(-1);
    return [
      {
        name,
        methods: flowMethodsIn(body),
        ...(state !== undefined && !plainStates.has(state) && { state }),
      },
    ];
  });
}

const plainStates: ReadonlySet<string> = new Set(["dict", "Dict", "Any"]);

function flowMethodsIn(body: readonly string[]): FlowMethod[] {
  const methods = new Map<string, FlowMethod>();
  body.forEach((line, index) => {
    const kind = runs.exec(line)?.[1];
    const below = kind === undefined ? undefined : definitionBelow(body, index);
    if (below === undefined || below.isClass) return;
    const asks = kind === "human_feedback" || methods.get(below.name)?.asks === true;
    methods.set(below.name, { name: below.name, asks });
  });
  return [...methods.values()];
}

/** The flow that the function `kickoff` starts, if there are several. */
export function mainFlow(text: string, flows: readonly FlowText[]): FlowText | undefined {
  if (flows.length < 2) return flows[0];
  const code = withoutInert(text).split(/\r?\n/);
  const at = code.findIndex((line) => /^(async\s+)?def\s+kickoff\s*\(/.test(line));
  const words = new Set(at < 0 ? [] : bodyBelow(code, at).join("\n").match(/\w+/g));
  const named = flows.filter(({ name }) => words.has(name));
  return named.length === 1 ? named[0] : undefined;
}

export interface Model {
  /** In the order of the file. */
  readonly fields: readonly string[];
  /** Names of what it derives from. */
  readonly bases: readonly string[];
}

/** The classes that may be Pydantic models, by name; of those with one name the first. */
export function modelsIn(text: string): ReadonlyMap<string, Model> {
  const models = new Map<string, Model>();
  /** Those that a line may belong to, the innermost last. */
  const open: { readonly indent: number; inside: number; readonly fields: string[] }[] = [];
  for (const line of withoutInert(text).split(/\r?\n/)) {
    // A bracket may close the class's own list.
    if (/^\s*(?:[)\]}]|$)/.test(line)) continue;
    const indent = indentOf(line);
    while (indent <= (open.at(-1)?.indent ?? -1)) open.pop();
    const own = open.at(-1);
    if (own && indent <= own.inside) {
      if (indent < own.inside) own.fields.length = 0;
      own.inside = indent;
      own.fields.push(...fieldIn(line));
    }
    const [, name, bases] = /^\s*class\s+(\w+)\s*\((?:([^)]*)\))?/.exec(line) ?? [];
    if (name === undefined) continue;
    const fields: string[] = [];
    open.push({ indent, inside: Infinity, fields });
    if (!models.has(name)) models.set(name, { fields, bases: basesIn(bases) });
  }
  return models;
}

function fieldIn(line: string): string[] {
  const [, field, type = ""] = /^\s*([A-Za-z]\w*)\s*:\s*([^=]*)/.exec(line) ?? [];
  const isField = field !== undefined && field !== "model_config" && !/\bClassVar\b/.test(type);
  return isField ? [field] : [];
}

function basesIn(list = ""): string[] {
  return list.split(",").flatMap((base) => /^\s*(?:\w+\.)*(\w+)/.exec(base)?.[1] ?? []);
}

/** Comments and strings, which may look like code. */
const inert =
  /#.*|("""|''')(?:\\[^]|(?!\1)[^])*(?:\1|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?/g;
/** Lines between a decorator and what it decorates; more would take long for a file made of decorators. */
const mostBetween = 50;

/** Python with spaces for comments and strings: same lines, same columns. */
export function withoutInert(text: string): string {
  return text.replace(inert, (part) => part.replace(/[^\r\n]/g, " "));
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The `def` or `class` of a decorator, below other decorators. */
function definitionBelow(code: readonly string[], decorated: number) {
  const indent = indentOf(code[decorated] ?? "");
  const end = Math.min(code.length, decorated + mostBetween);
  for (let index = decorated + 1; index < end; index += 1) {
    const line = code[index] ?? "";
    const [, keyword, name] = /^\s*(?:async\s+)?(def|class)\s+(\w+)/.exec(line) ?? [];
    if (keyword !== undefined && name !== undefined)
      return { index, name, isClass: keyword === "class" };
    const isBetween = line.trim() === "" || /^\s*[@)\]}]/.test(line) || indentOf(line) > indent;
    if (!isBetween) return undefined;
  }
  return undefined;
}

/** The lines that belong to a definition. */
function bodyBelow(code: readonly string[], at: number): string[] {
  const indent = indentOf(code[at] ?? "");
  let end = at + 1;
  // A bracket may close the definition's own list.
  const isInside = (line: string) =>
    line.trim() === "" || indentOf(line) > indent || /^\s*[)\]}]/.test(line);
  while (end < code.length && isInside(code[end] ?? "")) end += 1;
  return code.slice(at + 1, end);
}
