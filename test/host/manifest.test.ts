import assert from "node:assert/strict";
import * as vscode from "vscode";

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly category: string; readonly title: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>;
  };
}

describe("The manifest", () => {
  let manifest: Manifest;

  before(async () => {
    const extension = vscode.extensions.getExtension("crewdeck.crewdeck");
    assert(extension);
    await extension.activate();
    manifest = extension.packageJSON as Manifest;
  });

  it("contributes exactly the commands that the code registers", async () => {
    const registered = (await vscode.commands.getCommands(true)).filter((id) => id.startsWith("crewdeck.") && !id.startsWith("crewdeck.executions."));
    const contributed = manifest.contributes.commands.map(({ command }) => command);
    assert.deepEqual(registered.sort(), contributed.sort());
  });

  it("shows only contributed commands in menus, each in the category Crew with a title in words", () => {
    const contributed = manifest.contributes.commands.map(({ command }) => command);
    for (const { command } of Object.values(manifest.contributes.menus).flat()) assert(contributed.includes(command), command);
    for (const { category, title } of manifest.contributes.commands) {
      assert.equal(category, "Crew");
      assert.doesNotMatch(title, /^%|^$/);
    }
  });
});
