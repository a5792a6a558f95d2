import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import { temporaryFolder } from "../support/folders.ts";
import { waitFor } from "../support/wait.ts";
import { restoredForm } from "./restored-form.ts";
import { eachWithViewParts, type ViewParts } from "./view-parts.ts";

describe("What a form says of a local crew's files", () => {
  let parts: ViewParts;
  eachWithViewParts((made) => (parts = made));
  let folder: string;

  beforeEach(() => (folder = temporaryFolder("project")));
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  };

  it("is there after the window was reloaded, and goes when the person comes back from mending them", async () => {
    const task = "draft:\n  description: Write\n  expected_output: A text\n  agent: ";
    write("config/agents.yaml", "writer:\n  role: Writer\n  goal: Write\n  backstory: Old.\n");
    write("config/tasks.yaml", `${task}nobody\n`);
    const { forms, note, panel } = restoredForm(
      parts,
      {
        id: "local:poems",
        name: "poems",
        url: "http://127.0.0.1:9",
        local: { folder: vscode.Uri.file(folder).toString(), engine: "crewai", running: true },
      },
      () => true,
    );
    try {
      const advice = () => note("advice");
      const text = /^The crew's Python may refuse this \(problems: \d+\): config\/tasks\.yaml:/;
      await waitFor("the advice", () => text.test(advice()?.text ?? ""));
      assert.deepEqual(advice()?.actions, ["Show"]);
      await vscode.commands.executeCommand("workbench.action.files.newUntitledFile");
      await waitFor("the other tab", () => !panel.active);
      write("config/tasks.yaml", `${task}writer\n`);
      panel.reveal();
      await waitFor("the advice to go", () => advice() === undefined);
    } finally {
      forms.dispose();
    }
  });

  for (const [obstacle, button] of [
    ["trust", "Manage Workspace Trust"],
    ["crewai", "Set Up…"],
    ["model", "Choose Model…"],
    [undefined, "Use crewAI or Rehearsal…"],
  ] as const)
    it(`is what a rehearsal is, why it is one (${obstacle}), and the way to a real run`, async () => {
      const { forms, note } = restoredForm(
        parts,
        {
          ...{ id: "local:poems", name: "poems", url: "http://127.0.0.1:9" },
          local: {
            ...{ folder: vscode.Uri.file(folder).toString(), engine: "rehearsal", running: true },
            ...{ engineNote: "That is why.", ...(obstacle && { obstacle }) },
          },
        },
        () => true,
      );
      try {
        const { text, actions } = await waitFor("the note", () => note("rehearsal"));
        assert.match(text, /^This is a rehearsal: .* no language model is called.* That is why\.$/);
        assert.deepEqual(actions, [button]);
      } finally {
        forms.dispose();
      }
    });
});
