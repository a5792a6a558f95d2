import * as vscode from "vscode";
import { executionScheme } from "./manifest.ts";

interface ExecutionAddress {
  readonly crewName: string;
  /** The first kickoff id, or the local id until there is one. */
  readonly key: string;
}

export type ExecutionPart =
  | { readonly kind: "attempt"; readonly taskId: string; readonly attempt: number }
  | { readonly kind: "result" };

/** `crew-execution:/<crew>/<kickoffId>/<title>.execution`. The title is only for the tab. */
export function executionUri(
  address: ExecutionAddress,
  title: string,
  scheme: string = executionScheme,
): vscode.Uri {
  // Separators become dashes, since the title isn't parsed. A sentence's full stop would be two dots in the breadcrumbs.
  const label = toWellFormed(title)
    .replace(/[/\\\u0000-\u001f\u007f]+/g, "-")
    .replace(/(?<!\.)\.+$/, "");
  return vscode.Uri.from({ scheme, path: `${pathOf(address)}/${label}.execution` });
}

export function parseExecutionUri(uri: vscode.Uri): ExecutionAddress | undefined {
  const [, crew, key] = /^\/([^/]+)\/([^/]+)\/[^/]*\.execution$/.exec(uri.path) ?? [];
  return addressOf(crew, key);
}

/** `…/<kickoffId>/tasks/<task> (attempt 2).md` or `…/result.json`. */
export function partUri(
  address: ExecutionAddress,
  part: ExecutionPart,
  extension: string,
  scheme: string = executionScheme,
): vscode.Uri {
  return vscode.Uri.from({ scheme, path: `${pathOf(address)}/${partPath(part)}.${extension}` });
}

export function parsePartUri(uri: vscode.Uri) {
  const [, crew, key, path = ""] =
    /^\/([^/]+)\/([^/]+)\/(.+)\.(?!execution$)[a-z]+$/.exec(uri.path) ?? [];
  const address = addressOf(crew, key);
  const part = partOf(path);
  return address && part && { address, part };
}

/** A part's name without extension. */
export function partName(part: ExecutionPart): string {
  return partPath(part).replace(/^.*\//, "");
}

function partPath(part: ExecutionPart): string {
  return part.kind === "result"
    ? "result"
    : `tasks/${encodeName(part.taskId)} (attempt ${part.attempt})`;
}

function partOf(path: string): ExecutionPart | undefined {
  if (path === "result") return { kind: "result" };
  const [, task, attempt] = /^tasks\/([^/]+) \(attempt (\d+)\)$/.exec(path) ?? [];
  const taskId = decode(task);
  return taskId === undefined ? undefined : { kind: "attempt", taskId, attempt: Number(attempt) };
}

function pathOf({ crewName, key }: ExecutionAddress): string {
  return `/${encodeName(crewName)}/${encodeName(key)}`;
}

function addressOf(crew: string | undefined, id: string | undefined): ExecutionAddress | undefined {
  const [crewName, key] = [decode(crew), decode(id)];
  return crewName === undefined || key === undefined ? undefined : { crewName, key };
}

/** Undefined for a stray "%". */
function decode(segment: string | undefined): string | undefined {
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Encodes only separators, so that tabs and breadcrumbs stay readable. */
function encodeName(name: string): string {
  return toWellFormed(name).replace(/[%/\\\u0000-\u001f\u007f]/g, encodeURIComponent);
}

/** Replaces lone surrogates, which no URI can hold. */
function toWellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, "\uFFFD");
}

/** The focused text, or the page in the active tab. */
export function activeDocument(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const page = input instanceof vscode.TabInputCustom ? input.uri : undefined;
  return vscode.window.activeTextEditor?.document.uri ?? page;
}

/** What a tab shows as text or in a custom editor, such as a page. */
export function documentIn(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  const input = tab?.input;
  return input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom
    ? input.uri
    : undefined;
}
