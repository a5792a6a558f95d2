import * as vscode from "vscode";
import { executionScheme } from "./ids.ts";

export interface ExecutionAddress {
  readonly crewName: string;
  /** The first kickoff id, or the local id until there is one. */
  readonly key: string;
}

/** A part of an execution with its own document. */
export type ExecutionPart =
  | { readonly kind: "attempt"; readonly taskId: string; readonly attempt: number }
  | { readonly kind: "result" }
  /** A raw answer of the crew. */
  | { readonly kind: "answer"; readonly name: string };

/** `crew-execution:/<crew>/<kickoffId>/<title>.execution`. The title is only for the tab. */
export function executionUri(
  { crewName, key }: ExecutionAddress,
  title: string,
  scheme: string = executionScheme,
): vscode.Uri {
  return vscode.Uri.from({
    scheme,
    path: `/${encodeSegment(crewName)}/${encodeSegment(key)}/${tabLabel(title)}.execution`,
  });
}

/** Parses an execution's URI and ignores its title. Version 0.1.0 wrote `/<crew>/<kickoffId>.md`, which open tabs may still have. */
export function parseExecutionUri(uri: vscode.Uri): ExecutionAddress | undefined {
  const [, crew, key] = /^\/([^/]+)\/([^/]+)(?:\/[^/]*\.execution|\.md)$/.exec(uri.path) ?? [];
  return crew === undefined || key === undefined ? undefined : decodeAddress(crew, key);
}

/**
 * `crew-execution:/<crew>/<kickoffId>/tasks/<task> (attempt 2).md`, `…/result.json` or `…/answers/<name>.json`. The last
 * segment is the tab's label. The extension, `md` or `json`, sets only how the text is shown.
 */
export function partUri(
  { crewName, key }: ExecutionAddress,
  part: ExecutionPart,
  extension: string,
  scheme: string = executionScheme,
): vscode.Uri {
  return vscode.Uri.from({
    scheme,
    path: `/${encodeSegment(crewName)}/${encodeSegment(key)}/${pathOf(part)}.${extension}`,
  });
}

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

/** A part's name for a tab or a file, without extension. */
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
    // A stray "%".
    return undefined;
  }
}

function decodeAddress(crew: string, key: string): ExecutionAddress | undefined {
  try {
    return { crewName: decodeURIComponent(crew), key: decodeURIComponent(key) };
  } catch {
    // A stray "%".
    return undefined;
  }
}

/** A title as a path segment. It isn't parsed, so separators become a dash. */
function tabLabel(title: string): string {
  return toWellFormed(title).replace(/[/\\\u0000-\u001f\u007f]+/g, "-");
}

/** A name as a path segment, readable on a tab: only separators are encoded. */
function encodeName(name: string): string {
  return toWellFormed(name).replace(/[%/\\\u0000-\u001f\u007f]/g, encodeURIComponent);
}

function encodeSegment(name: string): string {
  return encodeURIComponent(toWellFormed(name));
}

/** Replaces lone surrogates, which no URI can hold. */
function toWellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, "\uFFFD");
}
