import type { Rule } from "eslint";

/** How often a part is repeated. A pattern whose time grows with the square of that takes hundreds of times as long as others. */
const repeats = 3_000;
/** Milliseconds that no linear pattern takes for so little text. */
const most = 4;
/** How often a slow one is tried: the machine may be busy. */
const mostTries = 10;
/** What patterns often skip. */
const common = [" ", "\n", "\t", "a", "1"];
const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", d: "1", w: "a" };

/**
 * A part that, repeated, makes a pattern take quadratic time or worse: one of its own characters or words, or two of
 * them. Undefined if none does.
 */
export function slowPart(source: string, flags: string): string | undefined {
  if (!/[*+]|\{\d+,/.test(source)) return undefined;
  const parts = partsOf(source);
  const pattern = new RegExp(source, flags);
  const start = /^\^?([\w `~<#-]+)(?![*?{])/.exec(source)?.[1] ?? "";
  const single = parts.filter((part) => part.length === 1);
  return [...parts, ...parts.flatMap((one) => single.map((other) => one + other))].find((part) =>
    isSlow(pattern, `${start}${part.repeat(repeats)}\u0001`),
  );
}

function isSlow(pattern: RegExp, text: string): boolean {
  for (let tries = 0; tries < mostTries; tries++) {
    pattern.lastIndex = 0;
    const began = performance.now();
    text.replace(pattern, "");
    if (performance.now() - began < most) return false;
  }
  return true;
}

/** Its words, and its other characters one by one. */
function partsOf(source: string): readonly string[] {
  const plain = source.replace(/\\(?:[pPux]\{?\w*\}?|(.))/g, (_, character: string = " ") =>
    /\W/.test(character) ? character : (escapes[character] ?? " "),
  );
  return [...new Set([...common, ...(plain.match(/[A-Za-z]{2,}|[^\w]/g) ?? [])])];
}

/** For the linter: patterns meet remote text. One of quadratic time would freeze the editor, or a server, for minutes. */
export const linearPatterns: Rule.RuleModule = {
  create: (context) => ({
    Literal(node) {
      if (!("regex" in node)) return;
      const part = slowPart(node.regex.pattern, node.regex.flags);
      if (part === undefined) return;
      const message = `This pattern takes quadratic time for a text that repeats ${JSON.stringify(part)}. Begin it where it can begin only once, as with (?<!…), or bound its repeats.`;
      context.report({ node, message });
    },
    ":matches(NewExpression, CallExpression)[callee.name='RegExp']"(node: Rule.Node) {
      // What the server's JSON schema has meets only what an operator writes.
      if (/^(new )?RegExp\(schema\.[\w.]+\.pattern\)$/.test(context.sourceCode.getText(node)))
        return;
      context.report({ node, message: "Write a literal: others aren't tried with long texts." });
    },
  }),
};
