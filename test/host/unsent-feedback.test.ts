import assert from "node:assert/strict";
import * as vscode from "vscode";
import { CrewApiError } from "../../src/api/errors.ts";
import { fillThread, UnsentText } from "../../src/feedback/thread-box.ts";
import { waitFor } from "../support/wait.ts";
import { anExecution } from "../unit/views/executions.ts";
import {
  focusedBox as box,
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

  const refusal = () =>
    new CrewApiError({
      kind: "server",
      status: 400,
      message: "Not now.",
      remedy: "",
      sent: "no",
    });
  /** A crew that refuses feedback. */
  const refuse = () => Promise.reject(refusal());
  const draft = () => parts.drafts.find({ localId: "local-1", taskId: "review", attempt: 1 })?.text;
  const shownInBox = (text: string) =>
    waitFor(`“${text}” in the box`, async () => (await box()).document.getText() === text);

  /** An output that is being rejected, with focus in the thread's box. `result` settles when the rejection ends. */
  async function rejecting() {
    const execution = parts.store.add(anExecution());
    const editor = await parts.show(execution);
    const result = parts.feedback.reject(execution);
    const open = await thread();
    await box();
    return { editor, document: editor.document, open, result };
  }

  it("keeps text that could not be sent in the box where it was written, and can send it from there", async () => {
    const { open, result } = await rejecting();
    parts.crew.resume = refuse;
    await assert.rejects(parts.threads.submit({ thread: open, text: "My words" }), /Not now/);
    await shownInBox("My words");
    const again = await thread();
    assert.match(again.label!, /^Not sent: Reject “review”/);
    assert.deepEqual(again.comments, [], "no comment that would open the Comments panel");
    parts.crew.resume = () =>
      Promise.resolve({ status: "retrying", message: "Once more.", raw: {} });
    await parts.threads.submit({ thread: again, text: "My words, edited" });
    assert.equal((await result)?.status, "retrying");
    assert.equal(parts.sent[1]?.humanFeedback, "My words, edited");
  });

  /** A thread that is sending “My words”. `fail` and `take` are the crew's responses. */
  async function sendingMyWords() {
    const { document, editor, open } = await rejecting();
    assert.ok(await fillThread(editor, open, "My words"));
    let fail = () => {};
    let take = () => {};
    parts.crew.resume = () =>
      new Promise((resolve, reject) => {
        fail = () => reject(refusal());
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
      await waitFor("the text in the box", () => written.getText() === text);
    };
    return { document, sending, type, fail: () => fail(), take: () => take() };
  }

  it("also keeps what was typed in the box while sending failed", async () => {
    const { sending, type, fail } = await sendingMyWords();
    await type("My words and more");
    fail();
    await assert.rejects(sending, /Not now/);
    assert.equal(parts.sent[0]?.humanFeedback, "My words");
    assert.equal(draft(), "My words and more");
    await shownInBox("My words and more");
  });

  it("keeps what was typed after sending as a draft, with a lens", async () => {
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

  it("doesn't report text as unsent if only its draft could not be removed", async () => {
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

  it("doesn't move the focus of a person who has gone elsewhere while sending failed: it keeps a draft, with a lens", async () => {
    const { document, open, result } = await rejecting();
    let fail: (error: unknown) => void = () => undefined;
    parts.crew.resume = () => new Promise((_resolve, reject) => (fail = reject));
    const sending = parts.threads.submit({ thread: open, text: "My words" });
    await waitFor("the request", () => parts.sent.length === 1);
    const other = await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument({ content: "Elsewhere" }),
      vscode.ViewColumn.Two,
    );
    fail(refusal());
    await assert.rejects(sending, /Not now/);
    assert.equal(await result, undefined);
    assert.deepEqual(parts.threads.threads, []);
    assert.equal(vscode.window.activeTextEditor, other);
    await waitFor("the lens", async () => (await titles(document))[0] === "Edit Draft…");
    assert.equal(draft(), "My words");
  });

  it("shows text that could be neither sent, saved nor restored as an editable comment, and can send it from there", async () => {
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

  it("also keeps text that could not be sent as a draft, and discards it when the person chooses to", async () => {
    const { open } = await rejecting();
    parts.crew.resume = refuse;
    await assert.rejects(parts.threads.submit({ thread: open, text: "My words" }), /Not now/);
    assert.equal(draft(), "My words");
    const again = await waitFor("the thread with the draft", () =>
      parts.threads.threads.find((one) => one !== open),
    );
    assert.equal(again.contextValue, "reject:draft");
    parts.threads.discardDraft({ thread: again, text: "My words" });
    assert.deepEqual([parts.threads.threads, parts.drafts.of("local-1")], [[], []]);
  });
});
