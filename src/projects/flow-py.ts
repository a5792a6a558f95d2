import { bodyBelow, definitionBelow, indentOf, withoutInert } from "./python-text.ts";

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
const mostLines = 8;
const runs = /^\s*@(?:\w+\.)*(start|listen|router|human_feedback)\b/;

/** The classes that derive from `Flow`. */
export function flowsIn(text: string): FlowText[] {
  const code = withoutInert(text).split(/\r?\n/);
  // A line belongs to one flow only.
  let end = 0;
  return code.flatMap((line, index) => {
    if (index < end || !/^\s*class\b/.test(line)) return [];
    const start = code.slice(index, index + mostLines).join("\n");
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
        methods: methodsIn(body),
        ...(state !== undefined && !plainStates.has(state) && { state }),
      },
    ];
  });
}

const plainStates: ReadonlySet<string> = new Set(["dict", "Dict", "Any"]);

function methodsIn(body: readonly string[]): FlowMethod[] {
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
