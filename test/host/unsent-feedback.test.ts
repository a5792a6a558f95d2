import assert from "node:assert/strict";
import * as vscode from "vscode";
import { CrewApiError } from "../../src/api/errors.ts";
import { fillThread, showThread, UnsentText } from "../../src/feedback/thread-box.ts";
import { waitFor } from "../support/wait.ts";
import { anExecution } from "../unit/views/executions.ts";
import {
  boxWithTheKeys as box,
  eachWithViewParts,
  lensesOf,
  threadOf,
  type ViewParts,
} from "./view-parts.ts";

describe("feedback that is not sent, or is edited while it is sent", () => {
  let parts: ViewParts;

  eachWithViewParts((fresh) => (parts = fresh));

  const thread = () => threadOf(parts);

  const titles = async (document: vscode.TextDocument) =>
    (await lensesOf(document)).map(({ title }) => title);

  /** A crew that takes no feedback. */
  const refuse = () =>
    Promise.reject(
      new CrewApiError({
        kind: "server",
        status: 400,
        message: "Not now.",
        remedy: "",
        sent: "no",
      }),
    );

  /** An output that is being rejected, with the keys in the thread's box. `result` is what the rejection leads to. */
  async function rejecting() {
    const execution = parts.store.add(anExecution());
    const editor = await parts.show(execution);
    const result = parts.feedback.reject(execution);
    const open = await thread();
    await box();
    return { editor, document: editor.document, open, result };
  }

  it("keeps text that could not be sent in the box where it was written, and sends it then", async () => {
    const { open, result } = await rejecting();
    parts.crew.resume = refuse;
    await assert.rejects(parts.threads.submit({ thread: open, text: "My words" }), /Not now/);
    await waitFor("the words", async () => (await box()).document.getText() === "My words");
    const again = await thread();
    assert.match(again.label!, /^Not sent: Reject “review”/);
    assert.deepEqual(again.comments, [], "no comment that would open the Comments panel");
    parts.crew.resume = () =>
      Promise.resolve({ status: "retrying", message: "Once more.", raw: {} });
    await parts.threads.submit({ thread: again, text: "My words, edited" });
    assert.equal((await result)?.status, "retrying");
    assert.equal(parts.sent[1]?.humanFeedback, "My words, edited");
  });

  /** A thread whose words “My words” are on their way. `fail` and `take` are the crew's answers. */
  async function sendingMyWords() {
    const { document, editor, open } = await rejecting();
    assert.ok(await fillThread(editor, open, "My words"));
    let fail = () => {};
    let take = () => {};
    parts.crew.resume = () =>
      new Promise((resolve, reject) => {
        fail = () =>
          reject(
            new CrewApiError({
              kind: "server",
              status: 400,
              message: "Not now.",
              remedy: "",
              sent: "no",
            }),
          );
        take = () => resolve({ status: "retrying", message: "Once more.", raw: {} });
      });
    const sending = parts.threads.submit({ thread: open, text: "My words" });
    await waitFor("the request", () => parts.sent.length === 1);
    const type = async (text: string) => {
      const { document: written } = await box();
      const edit = new vscode.WorkspaceEdit();
      edit.replace(
        written.uri,
        written.validateRange(new vscode.Range(0, 0, written.lineCount, 0)),
        text,
      );
      assert.ok(await vscode.workspace.applyEdit(edit));
      await waitFor("it in the box", () => written.getText() === text);
    };
    return { open, editor, document, sending, type, fail: () => fail(), take: () => take() };
  }

  const draft = () => parts.drafts.find({ localId: "local-1", taskId: "review", attempt: 1 })?.text;

  it("keeps also what was typed in the box while the text before it could not be sent", async () => {
    const { sending, type, fail } = await sendingMyWords();
    await type("My words and more");
    fail();
    await assert.rejects(sending, /Not now/);
    assert.equal(parts.sent[0]?.humanFeedback, "My words");
    assert.equal(draft(), "My words and more");
    await waitFor(
      "both in the box",
      async () => (await box()).document.getText() === "My words and more",
    );
  });

  it("keeps text that could not be sent if a button was pressed again, for which VS Code has emptied its box", async () => {
    const { open, sending, type, fail } = await sendingMyWords();
    await type("My words and more");
    assert.equal(
      await parts.threads.submit({ thread: open, text: "My words and more" }),
      undefined,
    );
    await type("");
    await type("Last ones");
    fail();
    await assert.rejects(sending, /Not now/);
    assert.equal(parts.sent.length, 1);
    assert.equal(draft(), "My words and more\n\nLast ones");
    await waitFor(
      "all of them in the box",
      async () => (await box()).document.getText() === "My words and more\n\nLast ones",
    );
  });

  it("keeps what was typed after sending as a draft, and a lens leads to it", async () => {
    const { document, sending, type, take } = await sendingMyWords();
    await type("My words\n\nand more");
    take();
    await sending;
    assert.equal(draft(), "and more");
    assert.deepEqual(parts.threads.threads, []);
    await waitFor("the lens", async () =>
      (await titles(document)).some(
        (title) => title === "Unsent Draft…" || title === "Edit Draft…",
      ),
    );
  });

  it("does not call text unsent if only its draft could not be removed", async () => {
    const { sending, take } = await sendingMyWords();
    Object.assign(parts.drafts, {
      remove: () => {
        throw new Error("The disk is read-only.");
      },
    });
    take();
    assert.equal((await sending)?.status, "retrying");
    assert.equal(draft(), undefined);
    assert.deepEqual(parts.threads.threads, []);
    assert.deepEqual(parts.problems.splice(0), ["Removing a draft that was sent"]);
  });

  it("restores it in another box, which VS Code does not empty", async () => {
    const { open, sending, fail } = await sendingMyWords();
    const { document: sent } = await box();
    fail();
    await assert.rejects(sending, /Not now/);
    await waitFor(
      "them in another box",
      async () =>
        (await box()).document !== sent && (await box()).document.getText() === "My words",
    );
    assert.notEqual(await thread(), open);
  });

  it("finds a thread that moves while it is looked for", async () => {
    const editor = await parts.show(parts.store.add(anExecution()));
    void parts.feedback.reject(parts.store.find("local-1")!);
    const open = await thread();
    await box();
    const line = open.range!.start.line + 2;
    const found = showThread(editor, { thread: open, isOpen: true }, 90_000);
    open.range = new vscode.Range(line, 0, line, 0);
    assert.ok(await found);
    assert.equal(editor.selection.active.line, line);
  });

  it("fills the box of a thread although the cursor has left its line", async () => {
    const { editor, open } = await rejecting();
    await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await waitFor("the editor to have the focus", () => vscode.window.activeTextEditor === editor);
    assert.ok(await fillThread(editor, open, "My words"));
    assert.equal((await box()).document.getText(), "My words");
  });

  it("puts text back above what was typed while its box was empty", async () => {
    const { editor, sending, fail } = await sendingMyWords();
    const { document: sent } = await box();
    fail();
    await assert.rejects(sending, /Not now/);
    await waitFor(
      "them in a box",
      async () =>
        (await box()).document !== sent && (await box()).document.getText() === "My words",
    );
    assert.ok(await fillThread(editor, await thread(), "Kept words"));
    assert.equal((await box()).document.getText(), "Kept words\n\nMy words");
  });

  it("leaves focus to a person who has gone elsewhere while text could not be sent: a draft is kept, and a lens leads to it", async () => {
    const { document, open, result } = await rejecting();
    let fail: (error: unknown) => void = () => undefined;
    parts.crew.resume = () => new Promise((_resolve, reject) => (fail = reject));
    const sending = parts.threads.submit({ thread: open, text: "My words" });
    await waitFor("the request", () => parts.sent.length === 1);
    const other = await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument({ content: "Elsewhere" }),
      vscode.ViewColumn.Two,
    );
    fail(
      new CrewApiError({
        kind: "server",
        status: 400,
        message: "Not now.",
        remedy: "",
        sent: "no",
      }),
    );
    await assert.rejects(sending, /Not now/);
    assert.equal(await result, undefined);
    assert.deepEqual(parts.threads.threads, []);
    assert.equal(vscode.window.activeTextEditor, other);
    await waitFor("the lens", async () => (await titles(document))[0] === "Edit Draft…");
    assert.equal(
      parts.drafts.find({ localId: "local-1", taskId: "review", attempt: 1 })?.text,
      "My words",
    );
  });

  it("shows text that could be neither sent nor kept nor put back as a comment, open for editing, and sends it then", async () => {
    const { open, result } = await rejecting();
    Object.assign(parts.drafts, {
      keep: () => {
        throw new Error("The disk is full.");
      },
    });
    await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument({ content: "Elsewhere" }),
      vscode.ViewColumn.Two,
    );
    parts.crew.resume = refuse;
    await assert.rejects(parts.threads.submit({ thread: open, text: "My words" }), /Not now/);
    const unsent = await waitFor("the comment", () => open.comments[0]);
    assert.ok(unsent instanceof UnsentText);
    assert.deepEqual([unsent.author.name, unsent.label], ["Not sent", "Not now."]);
    assert.equal(unsent.body, "My words");
    assert.equal(unsent.mode, vscode.CommentMode.Editing);
    assert.deepEqual(parts.problems.splice(0), ["Storing feedback that was not sent"]);
    parts.crew.resume = () =>
      Promise.resolve({ status: "retrying", message: "Once more.", raw: {} });
    unsent.body = "My words, edited";
    await parts.threads.submit(unsent);
    assert.equal((await result)?.status, "retrying");
    assert.equal(parts.sent[1]?.humanFeedback, "My words, edited");
  });

  it("keeps text that could not be sent as a draft, too, and discards it when the person says so", async () => {
    const execution = parts.store.add(anExecution());
    await parts.show(execution);
    void parts.feedback.reject(execution);
    const open = await thread();
    await box();
    parts.crew.resume = refuse;
    await assert.rejects(parts.threads.submit({ thread: open, text: "My words" }), /Not now/);
    assert.equal(
      parts.drafts.find({ localId: "local-1", taskId: "review", attempt: 1 })?.text,
      "My words",
    );
    const again = await waitFor("the thread that has them", () =>
      parts.threads.threads.find((one) => one !== open),
    );
    assert.equal(again.contextValue, "reject:draft");
    parts.threads.discardDraft({ thread: again, text: "My words" });
    assert.deepEqual([parts.threads.threads, parts.drafts.of("local-1")], [[], []]);
  });
});
