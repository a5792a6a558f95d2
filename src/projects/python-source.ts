// What can be said of Python without a parser: the crews, flows and models in a file.

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
  readonly agent?: string;
  readonly asks?: true;
  readonly makesTasks?: true;
  /** Of the decorator, from 1. */
  readonly line: number;
  readonly column: number;
}

const usedConfig = /\b(?:agents|tasks)_config\s*(?:\[|\.\s*get\s*\()\s*["']([^"'\n]+)["']/;
const someConfig = /\b(?:agents_config|tasks_config\b|config\s*=)/;
const setting = /^\s*(agents|tasks)_config\s*(?::[^=]*)?=(?!=)/;
const setText = /=\s*(?:"([^"\\]+)"|'([^'\\]+)')\s*(?:#.*)?$/;
const ownAgent = /\bagent\s*=\s*self\.(\w+)\s*\(/;

export function crewClassesIn(text: string): CrewClass[] {
  const source = linesOf(text);
  const { code, blocks, inside } = outlineOf(text);
  const classes = blocks.filter((block) => isTopClass(block) && hasDecorator(block, "CrewBase"));
  return classes.map((block) => {
    const configOf = (what: string) => {
      const at = block.own.findLast((index) => setting.exec(code[index] ?? "")?.[1] === what);
      if (at === undefined) return undefined;
      const [, ...text] = setText.exec(source[at] ?? "") ?? [];
      return text.join("") || null;
    };
    const methods = (inside.get(block) ?? []).flatMap((each) => methodOf(each, code, source) ?? []);
    const [agentsConfig, tasksConfig] = [configOf("agents"), configOf("tasks")];
    return { name: block.name, methods, agentsConfig, tasksConfig };
  });
}

function methodOf(
  { name, at, end, isClass, decorators }: Block,
  code: readonly string[],
  source: readonly string[],
): CrewMethod | undefined {
  const found = decorators.find(({ kind }) => ["agent", "task", "crew"].includes(kind));
  if (found === undefined || isClass) return undefined;
  const { line, column } = found;
  const kind = found.kind as CrewMethod["kind"];
  const text = code.slice(at, end).join("\n");
  const [, used] = usedConfig.exec(source.slice(at, end).join("\n")) ?? [];
  const config = used ?? (someConfig.test(text) ? null : undefined);
  const agent = kind === "task" ? ownAgent.exec(text)?.[1] : undefined;
  return {
    ...{ kind, name, line, column },
    ...(config !== undefined && { config }),
    ...(agent !== undefined && { agent }),
    ...(/\bhuman_input\s*=\s*True\b/.test(text) && { asks: true }),
    ...(kind === "crew" && /\b(?:Conditional)?Task\s*\(/.test(text) && { makesTasks: true }),
  };
}

export function makesCrew(text: string): boolean {
  return /\bCrew\s*\(/.test(withoutInert(text));
}

const flowBase = /(?:^|[\s,.])Flow\s*(?:\[\s*([\w.]+)|,|$)/;
const runs = ["start", "listen", "router", "human_feedback"];

/** The classes that derive from `Flow`, with the methods that run, and whether each waits for a person. `main`: of several, the one that the function `kickoff` names. */
export function flowsIn(text: string) {
  const { code, blocks, inside } = outlineOf(text);
  const flows = blocks
    .filter((block) => isTopClass(block) && flowBase.test(basesOf(block, code)))
    .map((block) => {
      const methods = new Map<string, boolean>();
      for (const method of inside.get(block) ?? [])
        if (hasDecorator(method, ...runs))
          methods.set(
            method.name,
            hasDecorator(method, "human_feedback") || methods.get(method.name) === true,
          );
      const [given] = block.own.flatMap(
        (at) => /^\s*initial_state\s*(?::[^=]*)?=\s*(\w+)\s*$/.exec(code[at] ?? "")?.[1] ?? [],
      );
      const state = (flowBase.exec(basesOf(block, code))?.[1] ?? given)?.split(".").at(-1);
      const isPlain = state === undefined || ["dict", "Dict", "Any"].includes(state);
      return { name: block.name, methods, state: isPlain ? undefined : state };
    });
  const kickoff = blocks.find(({ name, indent }) => name === "kickoff" && indent === 0);
  const words = new Set(code.slice(kickoff?.at, kickoff?.end).join("\n").match(/\w+/g));
  const named = flows.length < 2 || !kickoff ? flows : flows.filter(({ name }) => words.has(name));
  return { flows, main: named.length === 1 ? named[0] : undefined };
}

export interface Model {
  readonly fields: readonly string[];
  readonly bases: readonly string[];
}

/** The classes that may be Pydantic models, by name; of those with one name the first. */
export function modelsIn(text: string): ReadonlyMap<string, Model> {
  const { code, blocks } = outlineOf(text);
  const models = new Map<string, Model>();
  for (const block of blocks) {
    const bases = basesOf(block, code)
      .split(",")
      .flatMap((base) => /^\s*(?:\w+\.)*(\w+)/.exec(base)?.[1] ?? []);
    if (!isTopClass(block) || bases.length === 0 || models.has(block.name)) continue;
    const own = block.own.map((at) => code[at] ?? "");
    // What a line of its bases takes is deeper.
    const indent = own.reduce((least, line) => Math.min(least, indentOf(line)), Infinity);
    const fields = own.filter((line) => indentOf(line) === indent).flatMap(fieldIn);
    models.set(block.name, { fields, bases });
  }
  return models;
}

function fieldIn(line: string): string[] {
  const [, field, type = ""] = /^\s*([A-Za-z]\w*)\s*:\s*([^=]*)/.exec(line) ?? [];
  const isField = field !== undefined && field !== "model_config" && !/\bClassVar\b/.test(type);
  return isField ? [field] : [];
}

interface Block {
  readonly isClass: boolean;
  readonly name: string;
  readonly indent: number;
  readonly parent: Block | undefined;
  /** Their names without modules, and where they are, from 1. */
  readonly decorators: readonly { kind: string; line: number; column: number }[];
  readonly at: number;
  end: number;
  /** Indexes of the lines that belong to it and to nothing inside it. */
  readonly own: number[];
}

function isTopClass({ isClass, parent }: Block): boolean {
  return isClass && parent === undefined;
}

function hasDecorator({ decorators }: Block, ...kinds: readonly string[]): boolean {
  return decorators.some(({ kind }) => kinds.includes(kind));
}

function outlineOf(text: string) {
  const code = linesOf(withoutInert(text));
  const blocks: Block[] = [];
  const open: Block[] = [];
  let decorators: { kind: string; line: number; column: number }[] = [];
  for (const [at, line] of code.entries()) {
    // A bracket may close the block's own list.
    if (/^\s*(?:[)\]}]|$)/.test(line)) continue;
    const indent = indentOf(line);
    for (let last = open.at(-1); last && indent <= last.indent; last = open.at(-1)) {
      last.end = at;
      open.pop();
    }
    const parent = open.at(-1);
    parent?.own.push(at);
    const [, kind] = /^\s*@(?:\w+\.)*(\w+)/.exec(line) ?? [];
    const [, keyword, name] = /^\s*(?:async\s+)?(def|class)\s+(\w+)/.exec(line) ?? [];
    if (kind !== undefined) decorators.push({ kind, line: at + 1, column: indent + 1 });
    else if (name !== undefined) {
      const end = code.length;
      const isClass = keyword === "class";
      const block: Block = { isClass, name, indent, parent, decorators, at, end, own: [] };
      blocks.push(block);
      open.push(block);
      decorators = [];
    }
    // What a decorator is called with is deeper.
    else if (indent < (decorators.at(-1)?.column ?? 0)) decorators = [];
  }
  return { code, blocks, inside: Map.groupBy(blocks, ({ parent }) => parent) };
}

const mostOfBases = 8;

function basesOf({ isClass, at }: Block, code: readonly string[]): string {
  if (!isClass) return "";
  const opening = code.slice(at, at + mostOfBases).join("\n");
  return /^\s*class\s+\w+\s*\(([^)]*)\)/.exec(opening)?.[1]?.trim() ?? "";
}

const inert =
  /#.*|("""|''')(?:\\[^]|(?!\1)[^])*(?:\1|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?/g;

export function withoutInert(text: string): string {
  return text.replace(inert, (part) => part.replace(/[^\r\n]/g, " "));
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
