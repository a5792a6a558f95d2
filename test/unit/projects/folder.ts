import { mkdir, realpath, writeFile } from "node:fs/promises";
import path from "node:path";
import { readProject } from "../../../src/projects/read.ts";
import { toRehearse, type CrewProject } from "../../../src/projects/types.ts";
import { temporaryFolder } from "../../support/folders.ts";

/** Makes a folder with these files, by path. */
export async function folderWith(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<string> {
  const folder = await realpath(temporaryFolder("project"));
  for (const [file, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), content);
  }
  return folder;
}

/** Rejects with the first problem that prevents a rehearsal. */
export async function rehearsed(folder: string): Promise<CrewProject> {
  return toRehearse(await readProject(folder));
}

/** The two files of a small, valid classic project. */
export const classic = {
  "config/agents.yaml": "writer:\n  role: Writer\n  goal: Write\n  backstory: You write.\n",
  "config/tasks.yaml":
    "draft:\n  description: Write on {topic}\n  expected_output: A text\n  agent: writer\n",
};
