import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Writes a crew with these tasks, whose last task's output waits for a person. @returns its folder */
export function writeWriters(
  parent: string,
  tasks: readonly { readonly name: string; readonly description: string }[],
): string {
  const folder = path.join(parent, "crew");
  mkdirSync(path.join(folder, "agents"), { recursive: true });
  const listed = tasks.map((task, index) => ({
    ...task,
    expected_output: "One sentence",
    human_input: index === tasks.length - 1,
  }));
  for (const [file, content] of Object.entries({
    "crew.jsonc": { name: "Writers", agents: ["writer"], tasks: listed },
    "agents/writer.jsonc": { role: "Writer", goal: "Write", backstory: "You write." },
  }))
    writeFileSync(path.join(folder, file), JSON.stringify(content));
  writeFileSync(
    path.join(folder, "pyproject.toml"),
    '[project]\nname = "writers"\n[tool.crewai]\ntype = "crew"\ndefinition = "crew.jsonc"\n',
  );
  return folder;
}
