import { cpSync, existsSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../../test/support/folders.ts";

/** The copy of the example crew that `npm start` opens, made if it is missing: changes in it are kept and change no file of the project. */
export function exampleCopy(dataFolder: string): string {
  const copy = path.join(dataFolder, "example-crew");
  if (!existsSync(copy))
    cpSync(path.join(projectFolder, "media", "example-crew"), copy, { recursive: true });
  return copy;
}
