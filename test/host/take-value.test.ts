import assert from "node:assert/strict";
import { rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { UserError } from "../../src/base/errors.ts";
import { chooseEarlierValue, largestText, takeValue } from "../../src/kickoff/form/take-value.ts";
import { LastEditor } from "../../src/kickoff/form/last-editor.ts";
import { openPresets } from "../../src/kickoff/form/forms.ts";
import { valueInShort } from "../../src/kickoff/texts.ts";
import { createFormTools } from "../../src/kickoff/form/tools.ts";
import { temporaryFolder } from "../support/folders.ts";
import { waitFor } from "../support/wait.ts";
import { anExecution } from "../unit/views/executions.ts";
import { closeEditors } from "./extension.ts";
import { withPerson, type Move, type Shown } from "./scripted-person.ts";
import { viewParts } from "./view-parts.ts";

const ofEditor = "$(selection) Editor's Selection";
const ofFile = "$(file) File…";
const ofExecution = "$(history) Value of an Earlier Execution…";

describe("A value that a field of the kickoff form gets from another source", () => {
  let folder: string;
  let editor: LastEditor;
  let panel: vscode.WebviewPanel | undefined;
  let hasEarlier: boolean;

  before(() => void (folder = temporaryFolder("take")));

  beforeEach(async () => {
    await closeEditors();
    editor = new LastEditor();
    hasEarlier = true;
  });

  afterEach(() => {
    editor.dispose();
    panel?.dispose();
    panel = undefined;
  });

  after(async () => {
    await closeEditors();
    await rm(folder, { recursive: true });
  });

  async function take(...moves: readonly Move[]) {
    return await takeFor("topic", ...moves);
  }

  async function takeFor(input: string, ...moves: readonly Move[]) {
    const { result: taken, shown } = await withPerson(moves, () =>
      takeValue(input, {
        editor,
        hasEarlier,
        earlier: () => Promise.resolve({ value: 7, from: "the execution “tea”" }),
      }),
    );
    return { taken, shown };
  }

  async function file(name: string, content: string | Uint8Array): Promise<string> {
    const place = path.join(folder, name);
    await writeFile(place, content);
    return place;
  }

  async function select(document: vscode.TextDocument, ...lines: readonly number[]): Promise<void> {
    const shown = await vscode.window.showTextDocument(document, { preview: false });
    shown.selections = lines.map(
      (line) => new vscode.Selection(line, 0, line, document.lineAt(line).text.length),
    );
  }

  /** Opens another tab in place of the editor, as a form does. */
  async function openForm(): Promise<void> {
    panel = vscode.window.createWebviewPanel("test.form", "A form", vscode.ViewColumn.Active);
    await waitFor("the form in front", () => vscode.window.activeTextEditor === undefined);
  }

  const refusal = (what: RegExp) => (error: unknown) =>
    error instanceof UserError && what.test(error.message);
  const row = ({ choices = [], descriptions = [] }: Shown, label: string) =>
    descriptions[choices.indexOf(label)];

  it("is offered without a live link or an icon, whatever the input's name", async () => {
    const { result, shown } = await withPerson([], () =>
      chooseEarlierValue([], "[Retry](command:crewdeck.kickoff)"),
    );
    assert.equal(result, undefined);
    assert.deepEqual(
      shown.map(({ text }) => text),
      ["No stored execution had a value for “[Retry]\u200b(command:crewdeck.kickoff)”."],
    );
    // A quick pick's title draws no icons (observed), so a backslash would be visible.
    assert.equal((await takeFor("$(bell)", "escape")).shown[0]?.title, "Fill in “$(bell)” from");
  });

  it("shows its execution's title only if that differs from the value", async () => {
    const values = [
      { value: "Sea otters", execution: anExecution() },
      { value: "Sea otters", execution: anExecution({ label: "Mine" }) },
    ];
    const { shown } = await withPerson(["escape"], () => chooseEarlierValue(values, "topic"));
    assert.deepEqual(shown[0]?.details, ["", "Mine"]);
  });

  it("is the whole value of an earlier execution, although lists hold only its start", async () => {
    const parts = viewParts();
    const crew = anExecution().crew;
    const values = ["one", "two"].map((end) => `${"Sea otters. ".repeat(100)}${end}`);
    const moves = [{ pick: ofExecution }, { pick: valueInShort(values[0]!) }];
    try {
      for (const [at, topic] of values.entries())
        parts.store.add(
          anExecution({
            localId: topic.slice(-3),
            startedAt: `2026-10-21T12:0${at}:00.000Z`,
            request: { inputs: { topic }, callbacks: {} },
          }),
        );
      const presets = openPresets(parts.database);
      const tools = createFormTools({ get: () => crew }, parts.store, presets, editor);
      const { result: taken, shown } = await withPerson(moves, () =>
        tools.takeValue(crew, "topic"),
      );
      assert.equal(shown[1]?.choices?.length, 2);
      assert.deepEqual(taken && "value" in taken && taken.value, values[1]);
    } finally {
      await parts.dispose();
    }
  });

  it("can be the editor's selection, an earlier value, or a file's content; cancelling changes nothing", async () => {
    const { taken, shown } = await take("escape");
    assert.equal(taken, undefined);
    assert.equal(shown[0]?.title, "Fill in “topic” from");
    assert.deepEqual((await take({ pick: ofExecution })).taken, {
      value: 7,
      from: "the execution “tea”",
    });
  });

  it("is offered first if there is one; sources without a value are last and show why", async () => {
    const rows = async () => (await take("escape")).shown[0]?.choices;
    assert.deepEqual(await rows(), [ofFile, ofExecution, ofEditor], "Enter chooses the first row");
    hasEarlier = false;
    const { shown } = await take("escape");
    assert.deepEqual(
      [shown[0]?.choices, shown[0] && row(shown[0], ofExecution)],
      [[ofFile, ofEditor, ofExecution], "no stored execution had one"],
    );
    await select(await vscode.workspace.openTextDocument({ content: "rivers" }), 0);
    await waitFor("the selection", () => editor.selection?.text === "rivers");
    assert.deepEqual(await rows(), [ofEditor, ofFile, ofExecution]);
  });

  it("is the selection from before the form replaced the editor, with the file's name and size", async () => {
    const document = await vscode.workspace.openTextDocument(
      await file("notes.md", "Füchse\nother\nrivers\n"),
    );
    await select(document, 0, 2);
    await openForm();
    const { taken, shown } = await take({ pick: ofEditor });
    assert.equal(row(shown[0]!, ofEditor), "notes.md (14 bytes)");
    assert.deepEqual(
      taken,
      { text: "Füchse\nrivers", from: "the selection in notes.md (14 bytes)" },
      "several selections stand one below the other",
    );
  });

  it("stays the same selection when the document changes behind the form", async () => {
    const document = await vscode.workspace.openTextDocument({ content: "first\nsecond" });
    await select(document, 1);
    await openForm();
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), "a new line\n");
    await vscode.workspace.applyEdit(edit);
    const { taken } = await take({ pick: ofEditor });
    assert.equal(taken && "text" in taken && taken.text, "second");
  });

  it("is undefined, with a message, if nothing is selected or the document was closed", async () => {
    const nothing = async () => {
      const { taken, shown } = await take({ pick: ofEditor });
      assert.equal(taken, undefined);
      assert.equal(row(shown[0]!, ofEditor), "no text is selected in an editor");
      assert.match(shown[1]?.text ?? "", /^Select text in an editor first/);
    };
    await nothing();
    // As a person opens it: a document that an extension opened stays open for minutes.
    await vscode.commands.executeCommand(
      "vscode.open",
      vscode.Uri.file(await file("closed.txt", "rivers")),
    );
    const { document } = await waitFor("the document", () => vscode.window.activeTextEditor);
    await openForm();
    await nothing();
    panel?.dispose();
    await waitFor(
      "the document in front",
      () => vscode.window.activeTextEditor?.document === document,
    );
    await vscode.commands.executeCommand("editor.action.selectAll");
    await waitFor("the selection", () => editor.selection?.text === "rivers");
    await closeEditors();
    await waitFor("the end of the document", () => document.isClosed);
    await nothing();
  });

  it("is a text file's content, without its byte order mark, with its size", async () => {
    const small = await file("notes.txt", "\uFEFFGrüße");
    assert.deepEqual((await take({ pick: ofFile }, { open: small })).taken, {
      text: "Grüße",
      from: "notes.txt (10 bytes)",
    });
    const largest = await file("largest.txt", "x".repeat(largestText));
    const { taken, shown } = await take({ pick: ofFile }, { open: largest });
    assert.equal(taken?.from, "largest.txt (1 MB)");
    assert.equal(row(shown[0]!, ofFile), "a text file of 1 MB at most");
    assert.deepEqual((await take({ pick: ofFile }, { open: await file("empty.txt", "") })).taken, {
      text: "",
      from: "empty.txt (0 bytes)",
    });
    assert.equal((await take({ pick: ofFile }, "escape")).taken, undefined);
  });

  it("is refused with a reason if the file is too large, isn't UTF-8 text, is a folder or is missing", async () => {
    const refused = async (place: string, why: RegExp) =>
      assert.rejects(take({ pick: ofFile }, { open: place }), refusal(why));
    await refused(
      await file("large.txt", "x".repeat(1_200_000)),
      /^“large\.txt” is too large \(1\.2 MB\): an input takes 1 MB at most\.$/,
    );
    await refused(
      await file("latin.txt", Uint8Array.of(0x47, 0xfc)),
      /^“latin\.txt” isn't a text file/,
    );
    await refused(
      await file("picture.bin", Uint8Array.of(0x50, 0, 0x4e)),
      /^“picture\.bin” isn't a text file/,
    );
    await refused(folder, /is a folder/);
    const device = path.join(folder, "endless.txt");
    await symlink("/dev/zero", device);
    await refused(device, /^“endless\.txt” is not a regular file/);
    await refused(path.join(folder, "gone.txt"), /^“gone\.txt” can't be read: /);
  });

  it("is refused if the selection is too large for an input", async () => {
    const document = await vscode.workspace.openTextDocument({
      content: "x".repeat(largestText + 100_000),
    });
    await select(document, 0);
    await openForm();
    await assert.rejects(take({ pick: ofEditor }), refusal(/is too large \(1\.1 MB\)/));
  });
});
