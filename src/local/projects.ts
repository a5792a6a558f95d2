import type { CrewProject } from "../projects/types.ts";

// The parsers that reading a project takes are larger than half of the extension, and most windows never need them.

/** `readProject` of `projects`, loaded by the first project that is read. @throws ProjectError naming file, line and what is expected */
export async function readProject(folder: string): Promise<CrewProject> {
  return await (await import("../projects/read.ts")).readProject(folder);
}

/** `findProjects` of `projects`, loaded by the first search: the folders of crew projects at and below a folder. */
export async function findProjects(root: string): Promise<string[]> {
  return await (await import("../projects/find.ts")).findProjects(root);
}
