import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** The project's own folder: where package.json is. */
export const projectFolder = path.resolve(import.meta.dirname, "../..");

/** VS Code, Node and crewAI for the tests, downloaded once and reused; ignored by git. CREWDECK_DOWNLOADS names another one. */
export const downloadsFolder =
  process.env["CREWDECK_DOWNLOADS"] ?? path.join(projectFolder, ".vscode-test");

/** What a failed test leaves to look at: screenshots and logs. */
export const failuresFolder = path.join(projectFolder, "out", "failures");

/** A new empty folder under the system's temporary folder. */
export function temporaryFolder(purpose: string): string {
  return mkdtempSync(path.join(tmpdir(), `crewdeck-${purpose}-`));
}
