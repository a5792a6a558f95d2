import type * as vscode from "vscode";

/** This extension's version, as its manifest says it; "0" where it says none. */
export function versionOf({ extension }: Pick<vscode.ExtensionContext, "extension">): string {
  const manifest: unknown = extension.packageJSON;
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "0";
}
