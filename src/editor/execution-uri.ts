import * as vscode from "vscode";
import { executionScheme } from "./ids.ts";

/** Names one execution in a document's address. */
export interface ExecutionAddress {
  readonly crewName: string;
  /** First kickoff id, or the local id until there is one. */
  readonly key: string;
}

/** A part of an execution that has a document of its own. */
export type ExecutionPart =
  | { readonly kind: "attempt"; readonly taskId: string; readonly attempt: number }
  | { readonly kind: "result" }
  /** A raw answer of the crew; the name is all there is to tell it from others. */
  | { readonly kind: "answer"; readonly name: string };

/** `crew-execution:/<crew>/<kickoffId>/<title>.execution`; the crew's name may hold anything, a slash included. The title is only for the tab. */
export function executionUri(
  { crewName, key }: ExecutionAddress,
  title: string,
  scheme: string = executionScheme,
): vscode.Uri {
  return vscode.Uri.from({
    scheme,
    path: `/${encoded(crewName)}/${encoded(key)}/${onTab(title)}.execution`,
  });
}

/** The execution an address names, whatever its title; undefined where it names none. Version 0.1.0 wrote `/<crew>/<kickoffId>.md`, which tabs may still hold. */
export function parseExecutionUri(uri: vscode.Uri): ExecutionAddress | undefined {
  const [, crew, key] = /^\/([^/]+)\/([^/]+)(?:\/[^/]*\.execution|\.md)$/.exec(uri.path) ?? [];
  return crew === undefined || key === undefined ? undefined : decodeAddress(crew, key);
}

/**
 * `crew-execution:/<crew>/<kickoffId>/tasks/<task> (attempt 2).md`, `…/result.json` or `…/answers/<name>.json`: the last
 * part is what stands on the tab. The extension, `md` or `json`, says only how the text is shown.
 */
export function partUri(
  { crewName, key }: ExecutionAddress,
  part: ExecutionPart,
  extension: string,
  scheme: string = executionScheme,
): vscode.Uri {
  return vscode.Uri.from({
    scheme,
    path: `/${encoded(crewName)}/${encoded(key)}/${pathOf(part)}.${extension}`,
  });
}

/** The part of an execution that an address names, or nothing where it names none. */
export function parsePartUri(
  uri: vscode.Uri,
): { readonly address: ExecutionAddress; readonly part: ExecutionPart } | undefined {
  const [, crew, key, path] =
    /^\/([^/]+)\/([^/]+)\/(.+)\.(?!execution$)[a-z]+$/.exec(uri.path) ?? [];
  if (crew === undefined || key === undefined || path === undefined) return undefined;
  const address = decodeAddress(crew, key);
  const part = partOf(path);
  return address && part && { address, part };
}

/** The name of a part as a tab or a file shows it, without its extension. */
export function partName(part: ExecutionPart): string {
  return pathOf(part).replace(/^.*\//, "");
}

function pathOf(part: ExecutionPart): string {
  switch (part.kind) {
    case "attempt":
      return `tasks/${encodeName(part.taskId)} (attempt ${part.attempt})`;
    case "result":
      return "result";
    case "answer":
      return `answers/${encodeName(part.name)}`;
  }
}

function partOf(path: string): ExecutionPart | undefined {
  if (path === "result") return { kind: "result" };
  const [, task, attempt] = /^tasks\/([^/]+) \(attempt (\d+)\)$/.exec(path) ?? [];
  const name = /^answers\/([^/]+)$/.exec(path)?.[1];
  try {
    if (task !== undefined)
      return { kind: "attempt", taskId: decodeURIComponent(task), attempt: Number(attempt) };
    return name === undefined ? undefined : { kind: "answer", name: decodeURIComponent(name) };
  } catch {
    // A hand-made address with a stray "%" names nothing.
    return undefined;
  }
}

function decodeAddress(crew: string, key: string): ExecutionAddress | undefined {
  try {
    return { crewName: decodeURIComponent(crew), key: decodeURIComponent(key) };
  } catch {
    // The same as above.
    return undefined;
  }
}

/** A title as a part of a path. Nobody reads it back, so that what would end the part gives way to a dash. */
function onTab(title: string): string {
  return wellFormed(title).replace(/[/\\\u0000-\u001f\u007f]+/g, "-");
}

/** A name as a part of a path, readable on a tab: only what would end the part is encoded, and what no address can hold is replaced. */
function encodeName(name: string): string {
  return wellFormed(name).replace(/[%/\\\u0000-\u001f\u007f]/g, encodeURIComponent);
}

function encoded(name: string): string {
  return encodeURIComponent(wellFormed(name));
}

/** A text without halves of characters, which no address can hold. */
function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, "\uFFFD");
}
