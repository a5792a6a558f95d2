/**
 * Whether two answers of a crew tell one output of a task. Crews tell the same output with and without blank space around it, with the
 * line endings of another system, or inside a Markdown fence (observed).
 */
export function isSameOutput(one: string, other: string): boolean {
  return one === other || plain(one) === plain(other);
}

function plain(output: string): string {
  const text = output.replace(/\r\n?/g, "\n").trim();
  const [, inside] = /^```[\w-]*[ \t]*\n([^]*)\n[ \t]*```$/.exec(text) ?? [];
  // More than one fence is part of what the crew wrote.
  return inside === undefined || inside.includes("```") ? text : inside.trim();
}
