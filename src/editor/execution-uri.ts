import * as vscode from "vscode";
import { executionScheme } from "./ids.ts";

/** Names one execution in a document's address. */
export interface ExecutionAddress {
  readonly crewName: string;
  /** First kickoff id, or the local id until there is one. */
  readonly key: string;
}

/** `crew-execution:/<crew>/<kickoffId>.md`; the crew's name may hold anything, a slash included. */
export function executionUri({ crewName, key }: ExecutionAddress, scheme: string = executionScheme): vscode.Uri {
  return vscode.Uri.from({ scheme, path: `/${encodeURIComponent(crewName)}/${encodeURIComponent(key)}.md` });
}

/** The execution an address names, or nothing where it names none. */
export function parseExecutionUri(uri: vscode.Uri): ExecutionAddress | undefined {
  const match = /^\/([^/]+)\/([^/]+)\.md$/.exec(uri.path);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  try {
    return { crewName: decodeURIComponent(match[1]), key: decodeURIComponent(match[2]) };
  } catch {
    // A hand-made address with a stray "%" names no execution.
    return undefined;
  }
}
