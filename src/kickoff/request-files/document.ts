import type * as vscode from "vscode";
import { requestFileEnding } from "./file-name.ts";

/** Chooses request files, saved or not, wherever they come from. */
export const requestFiles: vscode.DocumentSelector = { pattern: `**/*${requestFileEnding}` };

/** Whether an address is a request file's. */
export function isRequestFile({ path }: vscode.Uri): boolean {
  return path.endsWith(requestFileEnding);
}
