import * as vscode from "vscode";
import { log } from "./log.ts";

const named = new Set<string>();

/**
 * Whether the editor has these parts of VS Code's API, such as `lm.registerTool`. An editor built
 * on VS Code may lack some: then `feature` is off, which the log says once.
 */
export function hasApi(feature: string, names: readonly string[]): boolean {
  const missing = names.filter((name) => valueAt(name) === undefined);
  if (missing.length > 0 && !named.has(feature))
    log.warn(`${feature}: off, because this editor lacks ${missing.join(", ")}.`);
  if (missing.length > 0) named.add(feature);
  return missing.length === 0;
}

function valueAt(name: string): unknown {
  return name
    .split(".")
    .reduce<unknown>(
      (value, member) => (value instanceof Object ? Reflect.get(value, member) : undefined),
      vscode,
    );
}
