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
  return code.flatMap((line, index) => {
    const start = /^\s*class\b/.test(line) ? code.slice(index, index + mostLines).join("\n") : "";
    const [, name, bases = ""] = classWithBases.exec(start) ?? [];
    const base = flowBase.exec(bases.trim());
    if (name === undefined || base === null) return [];
    const body = bodyBelow(code, index);
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
  const body = at < 0 ? "" : bodyBelow(code, at).join("\n");
  const named = flows.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(body));
  return named.length === 1 ? named[0] : undefined;
}

/** The fields of a Pydantic model, in order, and what it derives from; undefined if the text doesn't define it. */
export function modelIn(text: string, name: string) {
  const code = withoutInert(text).split(/\r?\n/);
  const at = code.findIndex((line) => new RegExp(`^\\s*class\\s+${name}\\s*\\(`).test(line));
  if (at < 0) return undefined;
  const body = bodyBelow(code, at);
  const indent = Math.min(...body.filter((line) => line.trim() !== "").map(indentOf));
  const fields = body.flatMap((line) => {
    const [, field, type = ""] = /^\s*([A-Za-z]\w*)\s*:\s*([^=]*)/.exec(line) ?? [];
    const isField = field !== undefined && indentOf(line) === indent && !/\bClassVar\b/.test(type);
    return isField && field !== "model_config" ? [field] : [];
  });
  const bases =
    /^[^(]*\(([^)]*)\)/
      .exec(code[at] ?? "")?.[1]
      ?.split(",")
      .flatMap((base) => /^\s*(?:\w+\.)*(\w+)/.exec(base)?.[1] ?? []) ?? [];
  return { fields, bases };
}
