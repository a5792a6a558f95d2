import assert from "node:assert/strict";
import * as vscode from "vscode";
import { executionUri, parseUri } from "../../src/editor/execution-uri.ts";
import type { Execution } from "../../src/executions/model.ts";
import { ExecutionDocuments } from "../../src/views/document/documents.ts";
import { anExecution, notWaiting } from "../unit/views/executions.ts";
import { waitFor } from "../support/wait.ts";
import { eachWithViewParts, type ViewParts } from "./view-parts.ts";

function lineOfDraft(line: number): string {
  return `Line ${line} of the draft${" and more of it".repeat(line % 40)}.`;
}

/** An execution whose document is longer than a screen, with lines that are wrapped. */
function longExecution(): Execution {
  const output = Array.from({ length: 200 }, (_, line) => lineOfDraft(line)).join("\n\n");
  const attempts = [{ number: 1, output }];
  return anExecution({
    tasks: [
      { taskId: "research", state: "completed", attempts },
      { taskId: "review", state: "waiting", attempts },
    ],
    waiting: { ...anExecution().waiting!, output },
  });
}

describe("an execution's document", () => {
  let parts: ViewParts;

  eachWithViewParts((fresh) => (parts = fresh));

  const update = (changes: Partial<Execution>) =>
    parts.store.update("local-1", (execution) => ({ ...execution, ...changes }));
  const startsWith = (document: vscode.TextDocument, text: string) =>
    waitFor(`“${text}”`, () => document.getText().startsWith(text));
  const symbolsOf = <T extends object>(provider: string, uri: vscode.Uri) =>
    waitFor(provider, async () => {
      const found = await vscode.commands.executeCommand<T[] | undefined>(
        `vscode.execute${provider}Provider`,
        uri,
        100,
      );
      return found !== undefined && found.length > 0 && found;
    });
  const lineOf = (document: vscode.TextDocument, text: string) =>
    document.getText().split("\n").indexOf(text);

  it("opens read-only at the output that waits, in a language of its own", async () => {
    const editor = await parts.show(parts.store.add(longExecution()));
    const { document } = editor;
    const other = vscode.Uri.file("/notes.md");
    assert.equal(parts.documents.view(other), undefined, "of another editor");
    assert.equal(document.languageId, "crew-execution");
    assert.equal(editor.selection.active.line, lineOf(document, "### Attempt 1"));
    await waitFor("the waiting task to be seen", () =>
      editor.visibleRanges.some((range) => range.contains(editor.selection.active)),
    );
    assert.equal(vscode.workspace.fs.isWritableFileSystem(parts.scheme), false);
    const { permissions } = await vscode.workspace.fs.stat(document.uri);
    assert.equal(permissions, vscode.FilePermission.Readonly);
  });

  async function readMiddle() {
    const editor = await parts.show(parts.store.add(longExecution()));
    const { document } = editor;
    const read = new vscode.Position(lineOf(document, lineOfDraft(125)), 5);
    editor.selection = new vscode.Selection(read, read);
    editor.revealRange(new vscode.Range(read, read), vscode.TextEditorRevealType.AtTop);
    const top = () => editor.visibleRanges[0]!.start.line;
    await waitFor("the reader to be there", () => top() > 50 && top() <= read.line);
    const textAt = (line: number) => document.lineAt(line).text;
    const atTop = () => [top(), top() + 1].map(textAt).join("|");
    /** Notes what is in view. @returns a function that waits until cursor and view are there again */
    const notePlace = () => {
      const before = atTop();
      return async () => {
        await waitFor("the cursor where it was", () => {
          const { line, character } = editor.selection.active;
          return textAt(line) === lineOfDraft(125) && character === 5;
        });
        await waitFor(`the view where it was: ${before}`, () => atTop() === before);
      };
    };
    return { document, notePlace };
  }

  it("refreshes in place, and keeps the reader's cursor and scroll position, also when the out-of-date notice appears and disappears", async () => {
    const { document, notePlace } = await readMiddle();
    for (const doubt of [undefined, "The crew [cannot](command:x.y) be reached.", undefined]) {
      const text = document.getText();
      const isKept = notePlace();
      const { kickoffIds } = parts.store.find("local-1")!;
      if (doubt === undefined)
        update({
          label: `Title ${kickoffIds.length}`,
          kickoffIds: [...kickoffIds, `k-${kickoffIds.length}`],
        });
      parts.doubt("local-1", doubt);
      await waitFor(
        "the new text",
        () => document.getText() !== text && parts.documents.isCurrent(document),
      );
      const line = "> The crew \\[cannot\\](command\\:x.y) be reached.";
      assert.equal(document.lineAt(4).text === line, doubt !== undefined);
      await isKept();
    }
  });

  it("isn't updated by a change that it doesn't show", async () => {
    parts.store.add(longExecution());
    parts.store.add(notWaiting({ localId: "other", kickoffIds: ["other"] }));
    const { document } = await parts.show(longExecution());
    const changedAt = async () => (await vscode.workspace.fs.stat(document.uri)).mtime;
    const before = await changedAt();
    update({ seenAt: "2026-10-21T12:05:00.000Z" });
    parts.store.update("other", (current) => ({ ...current, state: "completed", output: "Done." }));
    assert.equal(await changedAt(), before);
    update({ label: "Another title" });
    assert.ok((await changedAt()) > before);
  });

  it("shows a message for an unknown ID, and the execution once it is tracked", async () => {
    const address = { crewName: "Writers", key: "11111111-aaaa" };
    const uri = executionUri(address, "Another title", parts.scheme);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    assert.match(
      document.getText(),
      /^# Not tracked here\n\nNo execution `11111111-aaaa` of the crew “Writers”/,
    );
    parts.store.add(anExecution());
    await startsWith(document, "# Sea otters");
  });

  it("shows its crew's name as it is in the breadcrumbs", async () => {
    for (const crewName of ["127.0.0.1:9123", "My crew 🚢", "100 %/A\\B?#", ".."]) {
      const address = { crewName, key: "k 1" };
      const uri = executionUri(address, "Sea otters");
      assert.deepEqual(parseUri(vscode.Uri.parse(uri.toString())), { address }, crewName);
    }
    const crew = { ...anExecution().crew, name: "My crew: 🚢" };
    const { document } = await parts.show(parts.store.add(anExecution({ crew })));
    assert.match(document.uri.path, /^\/My crew: 🚢\/[^/]+$/);
  });

  it("has its title in its address, and stays in its tab when the title changes", async () => {
    const inputs = (audience: string) => ({
      request: { inputs: { topic: "Trams/e-bikes, 100 %.", audience }, callbacks: {} },
    });
    const { document } = await parts.show(parts.store.add(anExecution(inputs("commuters"))));
    assert.equal(document.uri.path, "/Writers/Trams-e-bikes, 100 %.execution", "without an ID");
    const second = parts.store.add(
      anExecution({ ...inputs("seniors"), localId: "local-2", kickoffIds: ["k-2"] }),
    );
    assert.match(document.getText(), /^# Trams\/e-bikes, 100 %\.\n/, "others change no title");
    update({ label: "Mine" });
    await startsWith(document, "# Mine\n");
    assert.equal((await parts.show(parts.store.find("local-1")!)).document, document);
    assert.equal((await parts.show(second)).document.uri.path, "/Writers/seniors.execution");
    for (const [path, query] of [
      ["/Writers/whatever.execution", "11111111-aaaa"],
      // As 0.1 wrote it.
      ["/Writers/11111111-aaaa/whatever.execution", ""],
    ] as const) {
      const uri = document.uri.with({ path, query });
      const other = await vscode.workspace.openTextDocument(uri);
      assert.match(other.getText(), /^# Mine\n/);
    }
  });

  it("scrolls to the task whose row is clicked", async () => {
    const execution = parts.store.add(longExecution());
    const editor = await parts.show(execution, "research");
    assert.equal(editor.document.lineAt(editor.selection.active.line).text, "## Task: research");
  });

  it("waits until the executions are read when it is restored with its window", async () => {
    let open: (value: unknown) => void = () => undefined;
    const ready = new Promise((resolve) => (open = resolve));
    const documents = new ExecutionDocuments({
      store: parts.store,
      crews: { find: () => undefined },
      circumstances: { of: () => ({}), onDidChange: () => ({ dispose: () => undefined }) },
      ready,
    });
    const reading = documents.readFile(documents.uriOf(anExecution()));
    parts.store.add(anExecution());
    open(undefined);
    assert.match(new TextDecoder().decode(await reading), /^# Sea otters/);
    documents.dispose();
  });

  it("keeps its address when a kickoff's late response brings the ID", async () => {
    const unconfirmed = notWaiting({ state: "unconfirmed", kickoffIds: [], tasks: [] });
    const { document } = await parts.show(parts.store.add(unconfirmed));
    assert.match(document.getText(), /May have started/);
    update({ state: "running", kickoffIds: ["k-1"] });
    await waitFor("the running state", () => /^Running/m.test(document.getText()));
  });

  it("has no link that runs a command, whatever an output or a name contains", async () => {
    const attack = [
      "[a](command:x.y)",
      "<command:x.y>",
      "[r]: command:x.y",
      "<a href='command:x.y'>",
      "<a href='command&#58;x.y'>",
      "https://crew.test/near",
    ].join("\n\n");
    const agent = "<a href='command:x.y'>";
    const attempts = [{ number: 1, output: attack }];
    const execution = anExecution({
      label: "<a href='command&#58;x.y'>",
      tasks: [{ taskId: "[a](command:x.y)", agent, state: "completed", attempts }],
    });
    const { document } = await parts.show(parts.store.add(execution));
    const links = await waitFor("the links", async () => {
      const found = await symbolsOf<vscode.DocumentLink>("Link", document.uri);
      return found.some(({ range }) => document.getText(range).endsWith("/near")) && found;
    });
    assert.deepEqual(
      links
        .filter(({ target }) => target?.scheme.toLowerCase() === "command")
        .map(({ range }) => document.getText(range)),
      [],
    );
  });

  describe("supports VS Code's own features:", () => {
    const output = "# Report\n\n## Part\n\n```\n# not closed";
    const at = "2026-10-21T12:02:00.000Z";
    const attempts = [
      { number: 1, output, feedback: { isApprove: false, text: "# No", at } },
      { number: 2, output },
    ];
    const ended = anExecution({
      state: "completed",
      output: "# The end",
      tasks: [{ taskId: "review", state: "completed", attempts }],
    });

    it("outlines its sections, with the headings of outputs below their attempt", async () => {
      const { document } = await parts.show(parts.store.add(ended));
      const [title] = await symbolsOf<vscode.DocumentSymbol>("DocumentSymbol", document.uri);
      const names = (symbols: readonly vscode.DocumentSymbol[]): unknown[] =>
        symbols.map(({ name, children }) =>
          children.length === 0 ? name : [name, names(children)],
        );
      assert.deepEqual(names([title!]), [
        [
          "Sea otters",
          [
            ["Result", ["The end"]],
            "Inputs",
            [
              "Task: review",
              [
                ["Attempt 1", [["Report", ["Part"]]]],
                "Rejected",
                ["Attempt 2", [["Report", ["Part"]]]],
              ],
            ],
            "Times",
            "History",
            "Crew and IDs",
          ],
        ],
      ]);
    });

    it("folds its sections", async () => {
      const { document } = await parts.show(parts.store.add(ended));
      const lines = document.getText().split("\n");
      const ranges = await symbolsOf<vscode.FoldingRange>("FoldingRange", document.uri);
      for (const [heading, next] of [
        ["## Task: review", "## Times"],
        ["### Attempt 1", "### Rejected"],
        ["## Crew and IDs", undefined],
      ] as const) {
        const range = ranges.find(({ start }) => start === lines.indexOf(heading));
        const following = lines.slice((range?.end ?? 0) + 1).find((line) => line.trim() !== "");
        assert.equal(following, next, heading);
      }
    });
  });
});
