import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export const projectFolder = path.resolve(import.meta.dirname, "../..");

/** VS Code, Node and crewAI for the tests, downloaded once and reused; ignored by git. CREWDECK_DOWNLOADS names another one. */
export const downloadsFolder =
  process.env["CREWDECK_DOWNLOADS"] ?? path.join(projectFolder, ".vscode-test");

/** What a failed test leaves to look at: screenshots and logs. */
export const failuresFolder = path.join(projectFolder, "out", "failures");

const temporary: string[] = [];
process.on("exit", () => {
  for (const folder of temporary)
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // A program that has not ended yet still writes there.
    }
});

/** A new empty folder under the system's temporary folder. It is removed when this process ends. */
export function temporaryFolder(purpose: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), `crewdeck-${purpose}-`));
  temporary.push(folder);
  return folder;
}
