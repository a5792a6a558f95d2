import { cpSync, existsSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../../test/support/folders.ts";

/** The copy of the example crew that `npm start` opens, made where it is missing: what a person changes there changes no file of the project, and stays. */
export function exampleCopy(dataFolder: string): string {
  const copy = path.join(dataFolder, "example-crew");
  if (!existsSync(copy))
    cpSync(path.join(projectFolder, "media", "example-crew"), copy, { recursive: true });
  return copy;
}
