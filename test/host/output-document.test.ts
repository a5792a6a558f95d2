import assert from "node:assert/strict";
import * as vscode from "vscode";
import { parseUri, partUri } from "../../src/editor/execution-uri.ts";
import { outputUri } from "../../src/views/document/output-editors.ts";
import { anExecution, notWaiting } from "../unit/views/executions.ts";
import { eachWithViewParts, type ViewParts } from "./view-parts.ts";

describe("the document of one output", () => {
  let parts: ViewParts;

  eachWithViewParts((fresh) => (parts = fresh));

  const attempt = (attempt: number) => ({ kind: "attempt", taskId: "review", attempt }) as const;
  const open = async (uri: vscode.Uri | undefined) =>
    (await vscode.window.showTextDocument(uri!)).document;

  it("exists for every attempt, is read-only, and doesn't change when the next attempt arrives", async () => {
    const attempts = [
      { number: 1, output: "# First." },
      { number: 2, output: '```json\n{"draft":2}\n```' },
    ];
    const execution = parts.store.add(
      anExecution({ tasks: [{ taskId: "review", state: "waiting", attempts }] }),
    );
    const first = await open(outputUri(execution, attempt(1), parts.scheme));
    const second = await open(outputUri(execution, attempt(2), parts.scheme));
    const both = (what: (document: vscode.TextDocument) => string) => [first, second].map(what);
    assert.deepEqual(
      both(({ languageId, uri }) => `${languageId} ${uri.path.replace(/.*\//, "")}`),
      ["markdown review (attempt 1).md", "json review (attempt 2).json"],
    );
    const { fs } = vscode.workspace;
    assert.equal((await fs.stat(second.uri)).permissions, vscode.FilePermission.Readonly);
    const before = (await fs.stat(first.uri)).mtime;
    const third = { number: 3, output: "Third." };
    parts.store.update("local-1", (current) => ({
      ...current,
      tasks: [{ taskId: "review", state: "waiting", attempts: [...attempts, third] }],
    }));
    assert.equal((await fs.stat(first.uri)).mtime, before);
    const texts = both((document) => document.getText());
    assert.deepEqual(texts, ["# First.\n", '{\n  "draft": 2\n}\n']);
    assert.equal(outputUri(execution, attempt(4)), undefined);
  });

  it("has an address that identifies its task, whatever the task's name", () => {
    for (const taskId of ["a/b", "100 %", "..", "x (attempt 1)", "Été\n\\?#", "task.md"]) {
      const part = { kind: "attempt", taskId, attempt: 2 } as const;
      const uri = partUri({ crewName: "A/B", key: "k 1" }, part, "json");
      const parsed = parseUri(vscode.Uri.parse(uri.toString()));
      assert.deepEqual(parsed, { address: { crewName: "A/B", key: "k 1" }, part }, taskId);
    }
  });

  it("shows a message if the output is unknown", async () => {
    const execution = parts.store.add(notWaiting());
    const address = { crewName: execution.crew.name, key: "11111111-aaaa" };
    const uri = partUri(address, { kind: "result" }, "md", parts.scheme);
    assert.equal((await open(uri)).getText(), "The crew has not returned this output.\n");
  });
});
