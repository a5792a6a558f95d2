import assert from "node:assert/strict";
import * as vscode from "vscode";
import { closeEditors, closeTab, run } from "./extension.ts";

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly languageModelTools: readonly {
      readonly name: string;
      readonly modelDescription: string;
      readonly inputSchema: { readonly additionalProperties: boolean };
    }[];
    readonly viewsWelcome: readonly { readonly contents: string; readonly when: string }[];
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
    const registered = (await vscode.commands.getCommands(true)).filter(
      (id) => id.startsWith("crewdeck.") && !/^crewdeck\.(executions|timeline)\./.test(id),
    );
    const contributed = manifest.contributes.commands.map(({ command }) => command);
    assert.deepEqual(registered.sort(), contributed.sort());
  });

  it("links from the empty view to the tour, and first to the workspace's own crew if there is one", () => {
    const buttons = (contents = "") =>
      [...contents.matchAll(/^\[([^\]]+)\]\(command:/gm)].map(([, title]) => title);
    const [start, project] = manifest.contributes.viewsWelcome;
    assert.deepEqual(buttons(start?.contents), ["Try the Example Crew", "Connect a Crew"]);
    assert.match(start?.when ?? "", /!crewdeck\.hasProject/);
    assert.deepEqual(buttons(project?.contents), [
      "Serve This Crew",
      "Connect a Crew",
      "Try the Example Crew",
    ]);
    assert.match(project?.when ?? "", /&& crewdeck\.hasProject/);
    // In Restricted Mode, one text says that nothing of the project runs, and how to change that.
    const untrusted = manifest.contributes.viewsWelcome.find(({ when }) =>
      when.includes("!isWorkspaceTrusted"),
    );
    assert.deepEqual(buttons(untrusted?.contents).slice(0, 2), [
      "Serve This Crew",
      "Manage Workspace Trust",
    ]);
    assert.match(project?.when ?? "", /&& isWorkspaceTrusted$/);
    for (const welcome of [start, project])
      assert.match(welcome?.contents ?? "", /\[Take the Tour\]\(command:crewdeck\.takeTour\)/);
  });

  it("has a tour in the Command Palette, which opens the walkthrough", async () => {
    await closeEditors();
    await run("takeTour");
    await closeTab(/Welcome|Walkthrough/);
  });

  it("contributes exactly the tools that the code registers, with strict inputs", async () => {
    const contributed = manifest.contributes.languageModelTools;
    const registered = vscode.lm.tools.filter(({ name }) => name.startsWith("crewdeck_"));
    // VS Code 1.104 lists only tools whose "when" is true now.
    const names = contributed.map(({ name }) => name);
    for (const { name } of registered) assert.ok(names.includes(name), name);
    for (const { name, inputSchema, modelDescription } of contributed) {
      assert.equal(inputSchema.additionalProperties, false, name);
      assert.ok(modelDescription.length > 100 && !modelDescription.startsWith("%"), name);
      // A tool without an implementation, or an unknown one, fails with another message.
      const odd = { input: { odd: 1 }, toolInvocationToken: undefined };
      const invoked = Promise.resolve(vscode.lm.invokeTool(name, odd));
      await assert.rejects(invoked, /The tool has no parameter “odd”/, name);
    }
  });
});
