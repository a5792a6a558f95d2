import assert from "node:assert/strict";
import type * as vscode from "vscode";
import { CrewApiError } from "../../src/api/errors.ts";
import type { StatusReading } from "../../src/api/types.ts";
import { actionsOf, UserError } from "../../src/base/errors.ts";
import { applyReading } from "../../src/executions/reduce.ts";
import { MaybeSentError } from "../../src/sending/errors.ts";
import { person, program } from "../../src/actions/asker.ts";
import { feedbackQuestion } from "../../src/actions/feedback-questions.ts";
import { watchWaitingHere } from "../../src/views/attention.ts";
import { FakeClock } from "../unit/executions/fake-clock.ts";
import { anExecution, notWaiting } from "../unit/views/executions.ts";
import { waitFor } from "../support/wait.ts";
import { withContext } from "./extension.ts";
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

  it("has lenses while an output waits", async () => {
    const { document } = await parts.show(parts.store.add(anExecution()));
    assert.deepEqual(await titles(document), ["Approve", "Reject…"]);
    parts.store.update("local-1", () => notWaiting());
    await waitFor("the lenses to go", async () => (await titles(document)).length === 0);
  });

  it("shows that it is being sent, then that it may have been sent", async () => {
    const execution = parts.store.add(anExecution());
    const { document } = await parts.show(execution);
    let fail: (error: unknown) => void = () => undefined;
    parts.crew.resume = () => new Promise((_resolve, reject) => (fail = reject));
    const sending = parts.feedback.approve(execution, {}, program);
    await waitFor("the request", () => parts.sent.length === 1);
    assert.deepEqual(await titles(document), ["Sending…"]);
    assert.equal(
      await Promise.race([
        parts.feedback.approve(execution, {}, program),
        Promise.resolve("one request"),
      ]),
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
    parts.crew.resume = () => Promise.resolve({ status: "resumed", message: "Yes." });
    const { shown } = await withPerson(["escape", { press: "Send Again" }], async () => {
      assert.equal(await parts.feedback.sendAgain(parts.store.find("local-1")!, person), undefined);
      assert.equal(parts.sent.length, 1);
      await parts.feedback.sendAgain(parts.store.find("local-1")!, person);
    });
    assert.match(
      shown[0]?.detail ?? "",
      /was not answered, so it may have arrived\. If it did, sending it again can answer the next output/,
    );
    assert.equal(parts.sent.length, 2);
  });

  it("leads to the page's box to reject, and to answer in own words", async () => {
    const execution = parts.store.add(anExecution());
    assert.equal(await parts.feedback.reject(execution, {}, person), undefined);
    const asks = { ...execution, waiting: { ...execution.waiting!, options: [] } };
    await parts.feedback.approve(asks, {}, person);
    assert.deepEqual(parts.reviewed, Array(2).fill("local-1 review"));
    const stale = parts.feedback.reject(execution, { taskId: "review", attempt: 2 }, person);
    await assert.rejects(stale, /you were at attempt 2/);
    assert.equal(parts.sent.length, 0);
  });

  it("shows which feedback was not sent or was refused, and opens its execution", async () => {
    const execution = parts.store.add(anExecution());
    const refused = { kind: "unreachable", reason: "refused" } as const;
    const answered = { kind: "badRequest", status: 400 } as const;
    for (const [error, message] of [
      [
        new CrewApiError({ ...refused, message: "Nothing listens.", remedy: "Look.", sent: "no" }),
        "Your feedback on “Sea otters” was not sent: Nothing listens. Look.",
      ],
      [
        new CrewApiError({ ...answered, message: "Not now.", remedy: "", sent: "no" }),
        "Your feedback on “Sea otters” was not accepted: Not now.",
      ],
      [
        new UserError("No token.", [{ title: "Set Token", command: "crewdeck.setToken" }]),
        "Your feedback on “Sea otters” was not sent: No token.",
      ],
    ] as const) {
      parts.crew.resume = () => Promise.reject(error);
      for (const send of [
        () => parts.feedback.approve(execution, {}, program),
        () => parts.feedback.reject(execution, { feedback: "Shorter." }, program),
      ]) {
        await assert.rejects(send(), (failure) => {
          assert.ok(failure instanceof UserError);
          assert.equal(failure.message, message);
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

  it("doesn't send feedback for a newer output than the one that was read", async () => {
    const execution = parts.store.add(anExecution());
    await assert.rejects(
      parts.feedback.approve(
        { ...execution, waiting: { ...execution.waiting!, attempt: 2 } },
        { attempt: 1 },
        program,
      ),
      /newer output/,
    );
    assert.equal(parts.sent.length, 0);
  });

  it("asks before it approves an output that isn't on the screen, shows what is sent and its first lines, and sends nothing if the person cancels", async () => {
    const output = `# Draft\n\n${Array.from({ length: 40 }, (_, at) => `Line ${at}.`).join("\n")}`;
    const execution = parts.store.add(
      anExecution({
        waiting: { taskId: "review", output, attempt: 1, since: "2026-10-21T12:01:00.000Z" },
      }),
    );
    const approve = () => parts.feedback.approve(execution, { attempt: 1 }, person);
    const { shown } = await withPerson(["escape", { press: "Approve" }], async () => {
      assert.equal(await approve(), undefined);
      assert.equal(parts.sent.length, 0);
      assert.equal((await approve())?.status, "resumed");
    });
    assert.equal(shown[0]?.text, "Approve “review” of “Sea otters”?");
    assert.match(
      shown[0].detail ?? "",
      /^Approves task “review”, attempt 1, of “Sea otters” at “Writers” \(crew\.test\)\. The crew continues with this output\.\n\nThis can cost money\.\n\nThis feedback is sent, and becomes context for later tasks:\nApproved\.\n\nThe output:\n# Draft\n\nLine 0\.\n[\s\S]*Line 12\. … \(\d+ more characters, not shown\)$/,
    );
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
      ["This answer is sent to crew.test:", "yes", "Is it right?\n\nThe draft."],
    );
  });

  it("approves without a question what is on the screen or what a program sends; a second click after the response returns that response", async () => {
    const execution = parts.store.add(anExecution());
    await parts.show(execution);
    const first = await parts.feedback.approve(execution, { attempt: 1 }, person);
    assert.deepEqual(
      await parts.feedback.approve(
        parts.store.find("local-1")!,
        { taskId: "review", attempt: 1 },
        person,
      ),
      first,
    );
    assert.equal(parts.sent.length, 1);
    await assert.rejects(
      parts.feedback.approve(
        parts.store.find("local-1")!,
        { taskId: "review", attempt: 1 },
        program,
      ),
      /has been answered already/,
    );
  });

  it("has a lens for a draft as soon as that is kept", async () => {
    const { document } = await parts.show(parts.store.add(anExecution()));
    const draft = { localId: "local-1", taskId: "review", attempt: 1, at: "2026-10-21" };
    parts.drafts.keep({ ...draft, text: "Shorter." });
    await waitFor("the lens", async () => (await titles(document))[0] === "Edit Draft…");
  });

  it("sets a context key for keybindings while the focused document waits for feedback", async () => {
    await withContext("crewdeck.waitingHere", async (values) => {
      const watch = watchWaitingHere(parts.documents, { of: () => ({}) }, parts.store);
      await parts.show(parts.store.add(anExecution()));
      await waitFor("the key", () => values.at(-1) === true);
      parts.store.update("local-1", () => notWaiting());
      await waitFor("the key to go", () => values.at(-1) === false);
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
  const press = () => parts.feedback.approve(current(), { taskId: "review", attempt: 1 }, person);
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
      /^The crew accepted your approval of “review”, but has not been seen to continue\. It may only be slow\. If so, another answer can be for its next output, which you have not read, and cost money\.$/,
    );
    await clock.pass(5_000);
    parts.store.update("local-1", (execution) => applyReading(execution, pause, clock.now()));
    await assert.rejects(
      parts.feedback.approve(current(), { taskId: "review", attempt: 1 }, program),
      /the crew accepted your feedback on this output of “review”, but still reports the pause/,
      "a program is refused",
    );
    assert.equal(parts.sent.length, 2);
  });

  it("waits again after a minute, as lenses and a line show, and “Send Again…” asks first", async () => {
    await approved(62);
    const { document } = await parts.show(current());
    assert.deepEqual(await titles(document), [
      "Approved, but the crew still waits – Send Again…",
      "Reject…",
    ]);
    assert.match(
      document.getText(),
      /You approved the output of “review” and the crew accepted that, but it still reports the pause/,
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
      assert.equal((await parts.feedback.reject(current(), given, person))?.status, "resumed");
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
