import assert from "node:assert/strict";
import * as vscode from "vscode";
import { CrewApiError } from "../../src/api/errors.ts";
import type { StatusReading } from "../../src/api/types.ts";
import { activeDocument } from "../../src/editor/execution-uri.ts";
import { actionsOf, UserError } from "../../src/base/errors.ts";
import { applyReading } from "../../src/executions/reduce.ts";
import { MaybeSentError, NoEffectError } from "../../src/sending/errors.ts";
import { watchWaitingHere } from "../../src/feedback/waiting-here.ts";
import { FakeClock } from "../unit/executions/fake-clock.ts";
import { anExecution, notWaiting } from "../unit/views/executions.ts";
import { waitFor } from "../support/wait.ts";
import { ScriptedPerson } from "./scripted-person.ts";
import {
  focusedBox as box,
  eachWithViewParts,
  lensesOf,
  threadOf,
  viewParts,
  type ViewParts,
} from "./view-parts.ts";

describe("feedback in an execution's document", () => {
  let parts: ViewParts;

  eachWithViewParts((fresh) => (parts = fresh));

  const titles = async (document: vscode.TextDocument) =>
    (await lensesOf(document)).map(({ title }) => title);
  const actions = ["Approve", "Approve with Note…", "Reject…"];

  const thread = () => threadOf(parts);

  it("has lenses only above the output that waits", async () => {
    const execution = parts.store.add(anExecution());
    const { document } = await parts.show(execution);
    const lenses = await lensesOf(document);
    assert.deepEqual(
      lenses.map(({ title }) => title),
      actions,
    );
    assert.ok(lenses.every(({ line }) => document.lineAt(line).text === "### Attempt 1"));
    assert.match(lenses[0]?.tooltip ?? "", /later tasks read “Approved\.” as your feedback/);
    parts.store.update("local-1", () => notWaiting());
    await waitFor("the lenses to go", async () => (await lensesOf(document)).length === 0);
  });

  it("has a lens for each answer of a flow, with the default marked", async () => {
    const asks = { options: ["publish", "revise"], defaultOption: "revise" };
    const waiting = { ...anExecution().waiting!, ...asks };
    const { document } = await parts.show(parts.store.add(anExecution({ waiting })));
    const expected = ["publish", "revise (default)", "Write Answer…"];
    assert.deepEqual(await titles(document), expected);
  });

  it("asks for a task ID if the crew doesn't report which task waits", async () => {
    const { document } = await parts.show(
      parts.store.add(notWaiting({ state: "unknown", mayBeWaiting: true })),
    );
    const lenses = await lensesOf(document);
    assert.deepEqual(
      lenses.map(({ title, line }) => [title, document.lineAt(line).text]),
      ["Give Feedback…", "Paste Received Callback…"].map((title) => [
        title,
        "## It may be waiting for you",
      ]),
    );
  });

  it("shows that it is being sent, then that it may have been sent", async () => {
    const execution = parts.store.add(anExecution());
    const { document } = await parts.show(execution);
    let fail: (error: unknown) => void = () => undefined;
    parts.crew.resume = () => new Promise((_resolve, reject) => (fail = reject));
    const sending = parts.feedback.approve(execution);
    await waitFor("the request", () => parts.sent.length === 1);
    assert.deepEqual(await titles(document), ["Sending…"]);
    assert.equal(
      await Promise.race([parts.feedback.approve(execution), Promise.resolve("one request")]),
      "one request",
      "a double click",
    );
    fail(new CrewApiError({ kind: "timeout", message: "No answer.", remedy: "", sent: "maybe" }));
    await assert.rejects(sending, MaybeSentError);
    await waitFor(
      "the offer to send again",
      async () => (await titles(document)).join() === "May have been sent – Send Again…",
    );
    assert.equal(parts.sent.length, 1);
    await waitFor("the document to say so", () =>
      document.getText().includes("May have been sent: no response arrived"),
    );
  });

  it("rejects with the text of a thread, which closes when the text is sent", async () => {
    const execution = parts.store.add(anExecution());
    const { document } = await parts.show(execution);
    const result = parts.feedback.reject(execution);
    const open = await thread();
    assert.equal(document.lineAt(open.range!.start.line).text, "### Attempt 1");
    assert.equal(open.contextValue, "reject");
    assert.match(
      open.label!,
      /^Reject “review” – “Writers” \(crew\.test\) runs it again; later tasks in “Sea otters” also read your feedback$/,
    );
    parts.crew.resume = () =>
      Promise.resolve({ status: "retrying", message: "Once more.", raw: {} });
    await parts.threads.submit({ thread: open, text: "Shorter.\n\n- and funnier" });
    assert.deepEqual(await result, { status: "retrying", message: "Once more." });
    assert.equal(parts.sent[0]?.humanFeedback, "Shorter.\n\n- and funnier");
    assert.equal(parts.sent[0].isApprove, false);
    assert.deepEqual(parts.threads.threads, []);
    await waitFor("the answer in the document", () =>
      document.getText().includes("> - and funnier\n\nSent · the crew answered “Once more.”"),
    );
  });

  it("keeps the thread at its output while the document changes above it", async () => {
    const execution = parts.store.add(anExecution());
    const { document } = await parts.show(execution);
    void parts.feedback.approveWithNote(execution);
    const open = await thread();
    const before = open.range!.start.line;
    parts.store.update("local-1", (now) => ({ ...now, engine: "rehearsal" }));
    await waitFor(
      "the thread to follow",
      () =>
        open.range!.start.line > before &&
        document.lineAt(open.range!.start.line).text === "### Attempt 1",
    );
  });

  it("shows which feedback was not sent or was refused, and opens its execution", async () => {
    const execution = parts.store.add(anExecution());
    for (const [error, message] of [
      [
        new CrewApiError({
          kind: "unreachable",
          reason: "refused",
          message: "Nothing accepts connections.",
          remedy: "Check the port.",
          sent: "no",
        }),
        "Your {what} of “Sea otters” was not sent: Nothing accepts connections. Check the port.",
      ],
      [
        new CrewApiError({
          kind: "badRequest",
          status: 400,
          message: "Not now.",
          remedy: "",
          sent: "no",
        }),
        "The crew did not accept your {what} of “Sea otters”: Not now.",
      ],
      [
        new UserError("No token.", [{ title: "Set Token", command: "crewdeck.setToken" }]),
        "Your {what} of “Sea otters” was not sent: No token.",
      ],
    ] as const) {
      parts.crew.resume = () => Promise.reject(error);
      for (const [send, what] of [
        [() => parts.feedback.approve(execution), "approval"],
        [() => parts.feedback.reject(execution, { feedback: "Shorter." }), "rejection"],
      ] as const) {
        await assert.rejects(send(), (failure) => {
          assert.ok(failure instanceof NoEffectError);
          assert.equal(failure.message, message.replace("{what}", what));
          assert.deepEqual(
            actionsOf(failure).map(({ title }) => title),
            [...actionsOf(error).map(({ title }) => title), "Open Execution"],
          );
          assert.equal(failure.cause, error);
          return true;
        });
        assert.equal(
          parts.store.find(execution.localId)?.resumes.at(-1)?.isUnsent ?? false,
          message.includes("not sent"),
          "as its document says",
        );
      }
    }
  });

  it("keeps a draft whose task no longer waits, explains why, and sends nothing", async () => {
    const execution = parts.store.add(anExecution());
    await parts.show(execution);
    const result = parts.feedback.reject(execution);
    const open = await thread();
    parts.store.update("local-1", () => notWaiting());
    await waitFor("the thread to say so", () => open.contextValue === "stale");
    assert.match(
      open.label!,
      /^No longer waits: save a draft for the next attempt, or cancel \(“review”, attempt 1\)$/,
    );
    parts.threads.cancel({ thread: open, text: "" });
    assert.equal(await result, undefined);
    assert.deepEqual(parts.threads.threads, []);
    assert.equal(parts.sent.length, 0);
  });

  it("changes the open thread when the person switches from rejecting to approving", async () => {
    const execution = parts.store.add(anExecution());
    await parts.show(execution);
    void parts.feedback.reject(execution);
    const open = await thread();
    void parts.feedback.approveWithNote(execution);
    await waitFor("the thread to approve", () => open.contextValue === "approve");
    assert.equal(parts.threads.threads.length, 1);
    await parts.threads.submit({ thread: open, text: "" });
    assert.deepEqual(
      parts.sent.map(({ humanFeedback, isApprove }) => ({ humanFeedback, isApprove })),
      [{ humanFeedback: "Approved.", isApprove: true }],
    );
  });

  it("doesn't send feedback for a newer output than the one that was read", async () => {
    const execution = parts.store.add(anExecution());
    await assert.rejects(
      parts.feedback.approve(
        { ...execution, waiting: { ...execution.waiting!, attempt: 2 } },
        { attempt: 1 },
      ),
      /newer output/,
    );
    assert.equal(parts.sent.length, 0);
  });

  it("asks before it approves an output that isn't on the screen, shows its first lines, and sends nothing if the person cancels", async () => {
    const output = `# Draft\n\n${Array.from({ length: 40 }, (_, at) => `Line ${at}.`).join("\n")}`;
    const execution = parts.store.add(
      anExecution({
        waiting: { taskId: "review", output, attempt: 1, since: "2026-10-21T12:01:00.000Z" },
      }),
    );
    const person = new ScriptedPerson(["escape", { press: "Approve" }]);
    try {
      assert.equal(
        await parts.feedback.approve(execution, { attempt: 1, isPerson: true }),
        undefined,
      );
      assert.equal(parts.sent.length, 0);
      assert.equal(
        (await parts.feedback.approve(execution, { attempt: 1, isPerson: true }))?.status,
        "resumed",
      );
    } finally {
      person.dispose();
    }
    const [{ text, detail } = { text: "", detail: "" }] = person.shown;
    assert.equal(text, "Approve “review” of “Sea otters”?");
    assert.match(
      detail ?? "",
      /^# Draft\n\nLine 0\.\n[\s\S]*Line 9\. …\n\n“Approved\.” is sent to “Writers” \(crew\.test\)/,
    );
    assert.deepEqual(person.left, []);
  });

  it("approves without a question what is on the screen or what a program sends; a second click after the response returns that response", async () => {
    const execution = parts.store.add(anExecution());
    await parts.show(execution);
    const first = await parts.feedback.approve(execution, { attempt: 1, isPerson: true });
    assert.deepEqual(
      await parts.feedback.approve(parts.store.find("local-1")!, {
        taskId: "review",
        attempt: 1,
        isPerson: true,
      }),
      first,
    );
    assert.equal(parts.sent.length, 1);
    await assert.rejects(
      parts.feedback.approve(parts.store.find("local-1")!, { taskId: "review", attempt: 1 }),
      /has been answered already/,
    );
  });

  it("saves a draft, shows a lens for it, and restores it in the thread's box, to approve or to reject", async () => {
    const execution = parts.store.add(anExecution());
    const { document } = await parts.show(execution);
    const first = parts.feedback.reject(execution);
    parts.threads.saveDraft({ thread: await thread(), text: "Shorter.\n\nPlease." });
    assert.equal(await first, undefined);
    assert.deepEqual(parts.threads.threads, []);
    assert.equal(parts.sent.length, 0);
    await waitFor("the lens", async () => (await titles(document))[0] === "Edit Draft…");
    void parts.feedback.approveWithNote(execution);
    const again = await thread();
    await waitFor(
      "the draft",
      async () => (await box()).document.getText() === "Shorter.\n\nPlease.",
    );
    assert.equal(again.contextValue, "approve:draft");
    assert.deepEqual(again.comments, [], "no comment that would open the Comments panel");
    await parts.threads.submit({ thread: again, text: "Shorter." });
    await waitFor(
      "the lens to go, as it was sent",
      async () => !(await titles(document)).includes("Edit Draft…"),
    );
    assert.equal(
      parts.drafts.find({ localId: "local-1", taskId: "review", attempt: 1 }),
      undefined,
    );
  });

  it("offers canned answers, and puts the chosen one into a thread without sending it", async () => {
    const execution = parts.store.add(anExecution());
    await parts.show(execution);
    const settings = vscode.workspace.getConfiguration("crewdeck");
    await settings.update(
      "feedback.cannedAnswers",
      [
        { text: "Half as long, $(please).", kind: "reject" },
        { label: "Fine", text: "Good work.", kind: "approve" },
        { label: "Empty", text: " " },
        7,
        "Thank you.",
      ],
      vscode.ConfigurationTarget.Global,
    );
    const showQuickPick = vscode.window.showQuickPick;
    const offered: string[] = [];
    Object.assign(vscode.window, {
      showQuickPick: (items: vscode.QuickPickItem[]) => (
        offered.push(...items.map(({ label }) => label)),
        Promise.resolve(items.find(({ label }) => label.startsWith("Half")))
      ),
    });
    try {
      void parts.feedback.give(execution);
      const open = await thread();
      await waitFor(
        "the answer",
        async () => (await box()).document.getText() === "Half as long, $(please).",
      );
      assert.equal(open.contextValue, "reject");
    } finally {
      Object.assign(vscode.window, { showQuickPick });
      await settings.update("feedback.cannedAnswers", undefined, vscode.ConfigurationTarget.Global);
    }
    assert.deepEqual(
      offered.filter((label) =>
        ["Fine", "Thank you.", "Half as long, \\$(please)."].includes(label),
      ),
      ["Fine", "Thank you.", "Half as long, \\$(please).", "Thank you."],
    );
    assert.equal(parts.sent.length, 0);
  });

  it("applies commands to its document while its thread's box has focus", async () => {
    const { document } = await parts.show(parts.store.add(anExecution()));
    assert.equal(activeDocument()?.toString(), document.uri.toString());
    void parts.feedback.reject(parts.store.find("local-1")!);
    await box();
    assert.equal(activeDocument()?.toString(), document.uri.toString());
  });

  it("sets a context key for keybindings while the focused document waits for feedback", async () => {
    const values: unknown[] = [];
    const executeCommand = vscode.commands.executeCommand;
    Object.assign(vscode.commands, {
      executeCommand: (command: string, ...rest: unknown[]) => {
        if (command === "setContext" && rest[0] === "crewdeck.waitingHere") values.push(rest[1]);
        return executeCommand(command, ...rest);
      },
    });
    const watch = watchWaitingHere(parts.places, parts.store);
    try {
      await parts.show(parts.store.add(anExecution()));
      await waitFor("the key", () => values.at(-1) === true);
      parts.store.update("local-1", () => notWaiting());
      await waitFor("the key to go", () => values.at(-1) === false);
    } finally {
      watch.dispose();
      Object.assign(vscode.commands, { executeCommand });
    }
  });
});

describe("an output that the crew still reports as waiting after it accepted feedback", () => {
  let parts: ViewParts;
  let clock: FakeClock;

  beforeEach(async () => {
    clock = new FakeClock();
    parts = await viewParts(clock);
  });

  afterEach(async () => {
    await parts.dispose();
    assert.deepEqual(parts.problems, []);
  });

  const current = () => parts.store.find("local-1")!;
  const press = () =>
    parts.feedback.approve(current(), { taskId: "review", attempt: 1, isPerson: true });
  const pause: StatusReading = {
    state: "waiting",
    stateText: "running",
    ended: false,
    tasks: [],
    raw: {},
    waiting: { taskId: "review", output: "# Draft\n\nText.", attempt: 1 },
  };

  /** The crew accepts an approval and still reports the pause this many seconds later. */
  const approved = async (seconds: number) => {
    await parts.show(parts.store.add(anExecution()));
    parts.crew.status = () => Promise.resolve(pause);
    assert.equal((await press())?.status, "resumed");
    await clock.pass(seconds * 1000);
    parts.store.update("local-1", (execution) => applyReading(execution, pause, clock.now()));
  };

  it("is approved again only after a question", async () => {
    await approved(12);
    assert.equal(current().state, "running");
    const person = new ScriptedPerson(["escape", { press: "Answer Again" }]);
    try {
      assert.equal(await press(), undefined);
      assert.equal(parts.sent.length, 1);
      assert.equal((await press())?.status, "resumed");
      assert.equal(parts.sent.length, 2);
    } finally {
      person.dispose();
    }
    assert.equal(person.shown[0]?.text, "Answer “review” again?");
    assert.match(
      person.shown[0].detail ?? "",
      /^The crew accepted your approval of “review”, but has not been seen to continue\. It may only be slow\. If so, another answer can be for its next output, which you have not read, and cost money\.$/,
    );
    await clock.pass(5_000);
    parts.store.update("local-1", (execution) => applyReading(execution, pause, clock.now()));
    await assert.rejects(
      parts.feedback.approve(current(), { taskId: "review", attempt: 1 }),
      /the crew accepted your approval of this output of “review”, but still reports the pause/,
      "a program is refused",
    );
    assert.equal(parts.sent.length, 2);
  });

  it("waits again after a minute, as lenses and a line show, and “Send Again…” asks first", async () => {
    await approved(62);
    const { document } = await parts.show(current());
    assert.deepEqual(
      (await lensesOf(document)).map(({ title }) => title),
      ["Approved, but the crew still waits – Send Again…", "Approve with Note…", "Reject…"],
    );
    assert.match(
      document.getText(),
      /You approved the output of “review” and the crew accepted that, but it still reports the pause/,
    );
    const person = new ScriptedPerson([
      "escape",
      { press: "Send Again" },
      { press: "Answer Again" },
    ]);
    try {
      assert.equal(await parts.feedback.sendAgain(current()), undefined);
      assert.equal(parts.sent.length, 1);
      assert.equal((await parts.feedback.sendAgain(current()))?.status, "resumed");
      assert.equal(parts.sent.length, 2);
      await clock.pass(62_000);
      parts.store.update("local-1", (execution) => applyReading(execution, pause, clock.now()));
      const rejected = parts.feedback.reject(current(), {
        taskId: "review",
        attempt: 1,
        isPerson: true,
      });
      const open = await threadOf(parts);
      await parts.threads.submit({ thread: open, text: "Shorter." });
      assert.equal((await rejected)?.status, "resumed");
    } finally {
      person.dispose();
    }
    assert.deepEqual(
      parts.sent.map(({ isApprove, humanFeedback }) => [isApprove, humanFeedback]),
      [
        [true, "Approved."],
        [true, "Approved."],
        [false, "Shorter."],
      ],
    );
    assert.deepEqual(person.left, []);
  });
});
