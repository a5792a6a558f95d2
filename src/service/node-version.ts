/** What is wrong with this Node for the service, for a person; undefined when nothing is. `version` is like `22.13.0`. */
export function nodeProblem(version: string, hasSqlite: boolean): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const recent = major > 22 || (major === 22 && minor >= 13);
  if (recent && hasSqlite) return undefined;
  const found = recent ? `Node ${version} was built without it` : `this is Node ${version}`;
  return `The local crew service needs Node 22.13 or newer with its module node:sqlite, and ${found}. Install a newer Node, or start the service from VS Code, which brings its own.`;
}
