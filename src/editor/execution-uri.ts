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

/** `crew-execution:/<crew>/<title>.execution?<kickoffId>`. The title is only for the tab. */
export function executionUri(
  address: ExecutionAddress,
  title: string,
  scheme: string = executionScheme,
): vscode.Uri {
  // Separators become dashes, since the title isn't parsed. A sentence's full stop would be two dots in the breadcrumbs.
  const label = title
    .toWellFormed()
    .replace(/[/\\\u0000-\u001f\u007f]+/g, "-")
    .replace(/(?<!\.)\.+$/, "");
  return uriOf(address, `${label}.execution`, scheme);
}

/** `crew-execution:/<crew>/tasks/<task> (attempt 2).md?<kickoffId>`, or `/<crew>/result.json?<kickoffId>`. */
export function partUri(
  address: ExecutionAddress,
  part: ExecutionPart,
  extension: string,
  scheme: string = executionScheme,
): vscode.Uri {
  return uriOf(address, `${partPath(part)}.${extension}`, scheme);
}

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

function uriOf({ crewName, key }: ExecutionAddress, below: string, scheme: string): vscode.Uri {
  const path = `/${encodeName(crewName)}/${below}`;
  return vscode.Uri.from({ scheme, path, query: key.toWellFormed() });
}

export function parseUri({
  path,
  query,
}: vscode.Uri): { address: ExecutionAddress; part?: ExecutionPart } | undefined {
  const [, crew, ...rest] = path.split("/");
  const crewName = decode(crew);
  // In addresses of 0.1, the ID is a folder.
  const key = query === "" ? decode(rest.shift()) : query;
  if (!crewName || !key) return undefined;
  const address = { crewName, key };
  const [, below = "", extension] = /^(.*)\.([a-z]+)$/.exec(rest.join("/")) ?? [];
  if (extension === "execution") return below.includes("/") ? undefined : { address };
  const part = partOf(below);
  return part && { address, part };
}

function decode(segment: string | undefined): string | undefined {
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Without lone surrogates, which no URI can hold. Encodes only separators, so that tabs and breadcrumbs stay readable. */
function encodeName(name: string): string {
  return name.toWellFormed().replace(/[%/\\\u0000-\u001f\u007f]/g, encodeURIComponent);
}

/** The focused text, or the page in the active tab. */
export function activeDocument(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const page = input instanceof vscode.TabInputCustom ? input.uri : undefined;
  return vscode.window.activeTextEditor?.document.uri ?? page;
}

/** What a tab shows as text, the newer one of a diff, or what is in a custom editor, such as a page. */
export function documentIn(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  const input = tab?.input;
  if (input instanceof vscode.TabInputTextDiff) return input.modified;
  return input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom
    ? input.uri
    : undefined;
}
