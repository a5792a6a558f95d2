import path from "node:path";
import { failuresFolder } from "./folders.ts";

/** A window that can save evidence when a test fails. */
export interface OpenWindow {
  saveEvidence(folder: string): Promise<void>;
  close(): Promise<void>;
}

const windows = new Set<OpenWindow>();
let failedTest: string | undefined;

export function openWindows(): readonly OpenWindow[] {
  return [...windows];
}

/** Registers an open window. @returns call it when the window is closed */
export function rememberWindow(window: OpenWindow): () => void {
  windows.add(window);
  return () => windows.delete(window);
}

/** Records that a test or a hook failed, so that evidence is saved before the windows close. */
export function noteFailure(title: string): void {
  failedTest = title;
}

export async function saveEvidenceOfFailure(): Promise<void> {
  if (failedTest === undefined) return;
  const name = failedTest.replaceAll(/[^\w]+/g, "-").slice(0, 100);
  failedTest = undefined;
  for (const [index, window] of openWindows().entries()) {
    const folder = path.join(failuresFolder, index === 0 ? name : `${name}-${index + 1}`);
    await window.saveEvidence(folder);
    console.log(`Screenshot and logs: ${path.relative(process.cwd(), folder)}`);
  }
}
