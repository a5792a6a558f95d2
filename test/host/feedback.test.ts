import assert from "node:assert/strict";
import * as vscode from "vscode";
import { CrewApiError } from "../../src/api/errors.ts";
import type { StatusReading } from "../../src/api/types.ts";
import { applyReading } from "../../src/executions/reduce.ts";
import { MaybeSentError } from "../../src/sending/errors.ts";
import { askerOf, person, program } from "../../src/actions/asker.ts";
import { feedbackQuestion } from "../../src/actions/feedback-questions.ts";
import { dialogOf } from "../../src/actions/question.ts";
import { watchWaitingHere } from "../../src/views/attention.ts";
import { FakeClock } from "../unit/executions/fake-clock.ts";
import { anExecution, notWaiting } from "../unit/views/executions.ts";
import { waitFor } from "../support/wait.ts";
import { closeEditors, withContext } from "./extension.ts";
import { withPerson } from "./scripted-person.ts";
import { eachWithViewParts, lensesOf, type ViewParts } from "./view-parts.ts";

/** Above the output that waits, without that to open it. */
const titles = async (document: vscode.TextDocument) =>
  (await lensesOf(document)).flatMap(({ title, line }) =>
    line === 0 || title === "Open Output" ? [] : [title],
  );

describe("feedback in an execution's document", () => {
  let parts: ViewParts;

  eachWithViewParts((fresh) => (parts = fresh));

  const current = () => parts.store.find("local-1")!;
  const approve = (given: object = {}, by = program) =>
    parts.feedback.give(current(), true, given, by);

  it("shows that it is being sent, then that it may have been sent", async () => {
    const execution = parts.store.add(anExecution());
    const { document } = await parts.show(execution);
    let fail: (error: unknown) => void = () => undefined;
    parts.crew.resume = () => new Promise((_resolve, reject) => (fail = reject));
    const sending = approve();
    await waitFor("the request", () => parts.sent.length === 1);
    assert.deepEqual(await titles(document), ["Sending…"]);
    const second = await Promise.race([approve(), Promise.resolve("one request")]);
    assert.equal(second, "one request", "a double click");
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
    parts.crew.resume = () => Promise.resolve({ status: "resumed", message: "Yes." });
    const { shown } = await withPerson(["escape", { press: "Send Again" }], async () => {
      assert.equal(await parts.feedback.sendAgain(current(), person), undefined);
      assert.equal(parts.sent.length, 1);
      await parts.feedback.sendAgain(current(), person);
    });
    assert.match(
      shown[0]?.detail ?? "",
      /got no response, so it may have arrived\. If so, another answer can be for its next output/,
    );
    assert.equal(parts.sent.length, 2);
  });

  it("leads to the page's box to reject, and to answer in own words", async () => {
    const execution = parts.store.add(anExecution());
    assert.equal(await parts.feedback.give(execution, false, {}, person), undefined);
    const asks = { ...execution, waiting: { ...execution.waiting!, options: [] } };
    await parts.feedback.give(asks, true, {}, person);
    assert.deepEqual(parts.reviewed, Array(2).fill("local-1 review in its box"));
    const stale = parts.feedback.give(execution, false, { taskId: "review", attempt: 2 }, person);
    await assert.rejects(stale, /no longer waits/);
    assert.equal(parts.sent.length, 0);
  });

  it("shows the output on its page before Approve sends anything, exactly if it isn't on the screen, wherever it is pressed; a program is served at once", async () => {
    for (const [where, by, isShownFirst = true] of [
      ["a lens, the page, a notification or tasks.yaml", { by: "person" }],
      ["a row of the tree", { kind: "execution" }],
      ["a key or the palette", undefined],
      ["a program", {}, false],
    ] as const)
      for (const isShown of [false, true]) {
        await closeEditors();
        const id = `${where} ${isShown}`;
        const execution = anExecution({ localId: id, kickoffIds: [id] });
        const target = { crew: execution.crew.id, kickoffId: id, taskId: "review", attempt: 1 };
        const argument = by && { ...target, ...by };
        parts.store.add(execution);
        if (isShown) await parts.show(execution);
        const isPicked = argument === undefined && !isShown;
        const { result } = await withPerson(isPicked ? [{ pick: "Sea otters" }] : [], () =>
          parts.verbs.approve(argument, askerOf(argument)),
        );
        const isSent = isShown || !isShownFirst;
        assert.equal(result?.status, isSent ? "resumed" : undefined, where);
        assert.deepEqual(parts.reviewed.splice(0), isSent ? [] : [`${id} review at the task`]);
        parts.store.remove(execution.localId);
      }
    assert.equal(parts.sent.length, 5);
  });

  it("leads to what a person wrote in the page's box before Approve sends anything without it; a program is served at once", async () => {
    const execution = parts.store.add(anExecution());
    await parts.show(execution);
    const { localId, kickoffIds, crew } = execution;
    const written = { localId, taskId: "review", attempt: 1 };
    parts.drafts.keep({ ...written, text: "Shorter.", at: execution.startedAt });
    const target = { crew: crew.id, kickoffId: kickoffIds[0], taskId: "review" };
    const argument = { ...target, by: "person" };
    await parts.verbs.approve(argument, askerOf(argument));
    assert.deepEqual(parts.reviewed.splice(0), [`${localId} review in its box`]);
    assert.equal(parts.sent.length, 0);
    await parts.verbs.approve(target, askerOf(target));
    assert.equal(parts.sent.length, 1);
  });

  it("shows the output first if its page is left from an extension host that has ended, so that it may be an earlier one", async () => {
    const execution = parts.store.add(anExecution());
    await parts.show(execution);
    parts.left.add(parts.documents.uriOf(execution).toString());
    assert.equal(await approve({}, person), undefined);
    assert.deepEqual([parts.reviewed, parts.sent], [["local-1 review at the task"], []]);
  });

  it("shows the output once for a double click: the second click doesn't approve what has just appeared", async () => {
    const execution = parts.store.add(anExecution());
    assert.equal(await approve({}, person), undefined);
    await parts.show(execution);
    assert.equal(await approve({}, person), undefined);
    assert.deepEqual([parts.reviewed, parts.sent], [["local-1 review at the task"], []]);
    // The page's button says that it sends no words.
    assert.equal((await approve({ feedback: "" }, person))?.status, "resumed");
  });

  it("asks a model's person with all that is sent, and the output", () => {
    const output = `# Draft\n\n${Array.from({ length: 40 }, (_, at) => `Line ${at}.`).join("\n")}`;
    const execution = anExecution({ waiting: { ...anExecution().waiting!, output } });
    const approval = { execution, taskId: "review", isApprove: true, text: "" };
    const question = feedbackQuestion(approval);
    assert.equal(question.title, "Approve “review” of “Sea otters”?");
    assert.match(
      dialogOf(question).text,
      /^Attempt 1\. The crew continues with this output\.\n\nGoes to “Writers” \(crew\.test\)\. Your feedback becomes context for later tasks\.\n\nThis can cost money\.\n\nThis is sent:\nApproved\.\n\nThe output:\n# Draft\n\nLine 0\.\n[\s\S]*Line 12\. … \(\d+ more characters, not shown\)$/,
    );
    const rehearsed = { ...approval, execution: { ...execution, engine: "rehearsal" as const } };
    assert.doesNotMatch(dialogOf(feedbackQuestion(rehearsed)).text, /cost/);
  });

  it("shows what a flow asks before its output, when an answer is sent", () => {
    const asks = { options: ["yes", "no"], message: "Is it right?", output: "The draft." };
    const execution = anExecution({ waiting: { ...anExecution().waiting!, ...asks } });
    const answer = { execution, taskId: "review", isApprove: true, text: "yes" };
    const { title, parts: shown, allow } = feedbackQuestion(answer);
    assert.deepEqual([title, allow], ["Answer “review” of “Sea otters”?", "Send Answer"]);
    const [answered, asked] = shown.flatMap((part) =>
      typeof part !== "string" && "heading" in part ? [part] : [],
    );
    assert.deepEqual(
      [answered?.heading, answered?.text, asked?.text],
      ["This is sent:", "yes", "Is it right?\n\nThe draft."],
    );
  });

  it("returns the response to a second click, too", async () => {
    await parts.show(parts.store.add(anExecution()));
    const first = await approve({ attempt: 1 }, person);
    const target = { taskId: "review", attempt: 1 };
    assert.deepEqual(await approve(target, person), first);
    assert.equal(parts.sent.length, 1);
    await assert.rejects(approve(target), /no longer waits/);
  });

  it("sets a context key for keybindings while the focused document waits for feedback", async () => {
    await withContext("crewdeck.waitingHere", async (values) => {
      const changed = new vscode.EventEmitter<undefined>();
      let isInterrupted = false;
      const circumstances = { of: () => ({ isInterrupted }), onDidChange: changed.event };
      const watch = watchWaitingHere(parts.documents, circumstances, parts.store);
      await parts.show(parts.store.add(anExecution()));
      await waitFor("the key", () => values.at(-1) === true);
      for (const now of [true, false]) {
        isInterrupted = now;
        changed.fire(undefined);
        assert.equal(values.at(-1), !now);
      }
      parts.store.update("local-1", () => notWaiting());
      await waitFor("the key to go", () => values.at(-1) === false);
      watch.dispose();
    });
  });
});

describe("“Next to Review”", () => {
  let parts: ViewParts;
  eachWithViewParts((made) => (parts = made));

  it("is in the title of an editor only while another execution waits", async () => {
    await withContext("crewdeck.othersWait", async (values) => {
      const circumstances = {
        of: () => ({}),
        onDidChange: new vscode.EventEmitter<undefined>().event,
      };
      const watch = watchWaitingHere(parts.documents, circumstances, parts.store);
      const here = parts.store.add(anExecution());
      assert.equal(values.at(-1), true);
      await parts.show(here);
      await waitFor("the key to go", () => values.at(-1) === false);
      parts.store.add(anExecution({ localId: "other", kickoffIds: ["other"] }));
      assert.equal(values.at(-1), true);
      watch.dispose();
    });
  });
});

describe("an output that the crew still reports as waiting after it accepted feedback", () => {
  let parts: ViewParts;
  let clock: FakeClock;

  eachWithViewParts(
    (fresh) => (parts = fresh),
    () => (clock = new FakeClock()),
  );

  const current = () => parts.store.find("local-1")!;
  const press = () =>
    parts.feedback.give(current(), true, { taskId: "review", attempt: 1 }, person);
  const pause: StatusReading = {
    state: "waiting",
    stateText: "running",
    ended: false,
    tasks: [],
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
    const { shown } = await withPerson(["escape", { press: "Answer Again" }], async () => {
      assert.equal(await press(), undefined);
      assert.equal(parts.sent.length, 1);
      assert.equal((await press())?.status, "resumed");
      assert.equal(parts.sent.length, 2);
    });
    assert.equal(shown[0]?.text, "Answer “review” again?");
    assert.match(
      shown[0].detail ?? "",
      /^The crew accepted your feedback for “review”, but has not been seen to continue\. It may only be slow\. If so, another answer can be for its next output, which you have not read, and cost money\.$/,
    );
    await clock.pass(5_000);
    parts.store.update("local-1", (execution) => applyReading(execution, pause, clock.now()));
    await assert.rejects(
      parts.feedback.give(current(), true, { taskId: "review", attempt: 1 }, program),
      /the crew accepted your feedback on this output of “review”, but still reports the pause/,
      "a program is refused",
    );
    assert.equal(parts.sent.length, 2);
  });

  it("waits again after a minute, as lenses and a line show, and “Send Again…” asks first", async () => {
    await approved(62);
    const { document } = await parts.show(current());
    assert.deepEqual(await titles(document), [
      "Accepted, but it still waits – Send Again…",
      "Reject…",
    ]);
    assert.match(
      document.getText(),
      /The crew accepted your feedback on “review”, but it still reports the pause/,
    );
    const moves = ["escape", { press: "Send Again" }, { press: "Answer Again" }] as const;
    await withPerson(moves, async () => {
      assert.equal(await parts.feedback.sendAgain(current(), person), undefined);
      assert.equal(parts.sent.length, 1);
      assert.equal((await parts.feedback.sendAgain(current(), person))?.status, "resumed");
      assert.equal(parts.sent.length, 2);
      await clock.pass(62_000);
      parts.store.update("local-1", (execution) => applyReading(execution, pause, clock.now()));
      const given = { taskId: "review", attempt: 1, feedback: "Shorter." };
      assert.equal((await parts.feedback.give(current(), false, given, person))?.status, "resumed");
    });
    assert.deepEqual(
      parts.sent.map(({ isApprove, humanFeedback }) => [isApprove, humanFeedback]),
      [
        [true, "Approved."],
        [true, "Approved."],
        [false, "Shorter."],
      ],
    );
  });
});
