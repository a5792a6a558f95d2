import assert from "node:assert/strict";
import * as vscode from "vscode";
import { CrewClient } from "../../src/api/client.ts";
import { systemClock } from "../../src/base/clock.ts";
import { feedbackCommands } from "../../src/commands/feedback.ts";
import { actionsOf } from "../../src/base/errors.ts";
import { MaybeSentError, StaleFeedbackError } from "../../src/sending/errors.ts";
import { FeedbackSender } from "../../src/sending/feedback.ts";
import { hangUp, json, MisbehavingServer, type Behaviour } from "../support/misbehaving-server.ts";
import { noAddresses, noSecrets } from "../support/secret-memory.ts";
import { waitFor } from "../support/wait.ts";
import { openWindow } from "../unit/sending/window.ts";
import { anExecution, notWaiting } from "../unit/views/executions.ts";
import { crewsOf } from "./execution-parts.ts";
import { ScriptedPerson } from "./scripted-person.ts";
import { viewParts, type ViewParts } from "./view-parts.ts";

const target = { localId: "local-1", taskId: "review", attempt: 1 };
const waits = json(200, {
  status: "running",
  pending_human_input: { task_id: "review", task_output: "# Draft\n\nText.", attempt: 1 },
});
const notFound = json(200, { state: "NOT FOUND", status: null });

describe("Feedback that is too late or gets no response, over HTTP", () => {
  let parts: ViewParts;
  let server: MisbehavingServer;
  let client: CrewClient;

  beforeEach(async () => {
    server = await MisbehavingServer.start();
    client = new CrewClient(server.url, () => Promise.resolve("a-token"));
    parts = await viewParts();
    parts.crew.status = () => client.status("11111111-aaaa");
    parts.crew.resume = () => client.resume(parts.sent.at(-1)!);
  });

  afterEach(async () => {
    await parts.dispose();
    await server.stop();
    assert.deepEqual(parts.problems, []);
  });

  /** Sets the crew's responses to status requests and to feedback. */
  const crewAnswers = (status: Behaviour, resume: Behaviour) => {
    server.otherwise = (response, request) =>
      (request.path === "/resume" ? resume : status)(response, request);
  };
  const resumes = () =>
    server.requests
      .filter((request) => request.path === "/resume")
      .map(({ body }) => (JSON.parse(body) as { human_feedback: string }).human_feedback);
  const lenses = async ({ uri }: vscode.TextDocument) =>
    (
      await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri)
    ).map(({ command }) => command);
  const titles = async (document: vscode.TextDocument) =>
    (await lenses(document)).map((command) => command?.title);

  /** A person writes a rejection in a thread. */
  const write = async () => {
    const { document } = await parts.show(parts.store.add(anExecution()));
    const done = parts.feedback.reject(parts.store.find("local-1")!);
    const thread = await waitFor("the thread", () => parts.threads.threads[0]);
    await waitFor(
      "focus in its box",
      () => vscode.window.activeTextEditor?.document.uri.scheme === "comment",
    );
    return { document, done, thread };
  };

  for (const { what, status, reason, label } of [
    {
      what: "was answered elsewhere",
      status: json(200, { status: "running", current_task: "publish" }),
      reason: /“review” has been answered already/,
      label: /^No longer waits; your text is saved for the next attempt/,
    },
    {
      what: "has ended",
      status: json(200, { status: "completed", result: { output: "The end.", tasks: [] } }),
      reason: /the execution has ended.*kick it off again/,
      label: /^Ended; your text is saved as a draft/,
    },
    {
      what: "has a newer attempt",
      status: json(200, {
        status: "running",
        pending_human_input: { task_id: "review", task_output: "Second.", attempt: 2 },
      }),
      reason: /a newer output of “review” waits now: attempt 2/,
      label: /^No longer waits; your text is saved for the next attempt/,
    },
  ]) {
    it(`explains before it sends anything that the pause ${what}, and keeps the text in thread and draft`, async () => {
      crewAnswers(waits, json(200, { status: "resumed" }));
      const { thread } = await write();
      crewAnswers(status, json(200, { status: "resumed" }));
      await assert.rejects(
        Promise.resolve(parts.threads.submit({ thread, text: "My words." })),
        (error) => error instanceof StaleFeedbackError && reason.test(error.message),
      );
      assert.deepEqual(resumes(), []);
      assert.equal(parts.drafts.find(target)?.text, "My words.");
      await waitFor("the thread to say so", () =>
        label.test(parts.threads.threads[0]?.label ?? ""),
      );
      await waitFor(
        "the text in the thread's box",
        () =>
          vscode.window.activeTextEditor?.document.uri.scheme === "comment" &&
          vscode.window.activeTextEditor.document.getText() === "My words.",
      );
      assert.deepEqual(
        parts.threads.threads[0]?.comments,
        [],
        "no comment that would open the Comments panel",
      );
    });
  }

  it("explains before it sends anything that the execution continues under a new ID after feedback from another window", async () => {
    crewAnswers(waits, json(200, { kickoff_id: "new-id" }));
    const { thread } = await write();
    const other = openWindow(parts.folder);
    try {
      const sender = new FeedbackSender({
        ...other,
        secrets: noSecrets,
        addresses: noAddresses,
        clock: systemClock,
        crews: { client: () => Promise.resolve(client) },
        poll: () => undefined,
        log: { problem: (message) => parts.problems.push(message) },
      });
      await sender.send({
        execution: other.store.find("local-1")!,
        taskId: "review",
        isApprove: true,
        text: "From the other window.",
      });
    } finally {
      other.dispose();
    }
    await assert.rejects(
      Promise.resolve(parts.threads.submit({ thread, text: "My words." })),
      /not sent: it was answered elsewhere, and the execution continues under a new ID, new-id/,
    );
    assert.deepEqual(resumes(), ["From the other window."]);
    assert.equal(parts.drafts.find(target)?.text, "My words.");
  });

  it("sends if the crew responds NOT FOUND, as a deployed crew that waits does, and keeps what the crew then refuses", async () => {
    crewAnswers(notFound, json(400, { detail: "Execution is not in pending human input state" }));
    const { thread } = await write();
    await assert.rejects(
      Promise.resolve(parts.threads.submit({ thread, text: "My words." })),
      /not in pending human input state/,
    );
    assert.deepEqual(resumes(), ["My words."]);
    assert.equal(parts.drafts.find(target)?.text, "My words.");
  });

  it("shows that feedback may have been sent if no response arrived, and sends it again only when the person chooses to", async () => {
    crewAnswers(waits, hangUp);
    const { document, done, thread } = await write();
    let failure: unknown;
    await Promise.resolve(parts.threads.submit({ thread, text: "My words." })).catch(
      (error: unknown) => (failure = error),
    );
    assert.ok(failure instanceof MaybeSentError);
    assert.match(
      failure.message,
      /^Your feedback may have been sent: .*It is not sent again automatically\.$/,
    );
    assert.deepEqual(
      actionsOf(failure).map(({ title, command }) => [title, command]),
      [
        ["Open Execution", "crewdeck.openExecution"],
        ["Send Again…", "crewdeck.sendAgain"],
      ],
    );
    assert.equal(await done, undefined);
    assert.deepEqual(parts.threads.threads, [], "no thread that would show the text as unsent");
    await waitFor("the document to hold them", () =>
      /> My words\.\n\nMay have been sent: no response arrived/.test(document.getText()),
    );
    await waitFor("the lens", async () =>
      (await titles(document)).includes("May have been sent – Send Again…"),
    );
    assert.equal(parts.drafts.find(target), undefined);

    crewAnswers(waits, json(200, { status: "retrying", message: "Once more." }));
    const person = new ScriptedPerson(["escape", { press: "Send Again" }]);
    try {
      assert.equal(await parts.feedback.sendAgain(parts.store.find("local-1")!), undefined);
      assert.deepEqual(resumes(), ["My words."]);
      assert.equal(
        (await parts.feedback.sendAgain(parts.store.find("local-1")!))?.status,
        "retrying",
      );
    } finally {
      person.dispose();
    }
    assert.match(
      person.shown[0]?.detail ?? "",
      /Your feedback for “review” was not answered, so it may have arrived\. If it did, sending it again can answer the next output of the task, which you have not read\./,
    );
    assert.deepEqual(resumes(), ["My words.", "My words."]);
  });

  it("keeps other text that is written while earlier feedback may have been sent", async () => {
    crewAnswers(waits, hangUp);
    const { thread } = await write();
    await assert.rejects(parts.feedback.approve(parts.store.find("local-1")!), MaybeSentError);
    await assert.rejects(
      Promise.resolve(parts.threads.submit({ thread, text: "My words." })),
      (error) =>
        error instanceof MaybeSentError &&
        /may have been sent before/.test(error.message) &&
        actionsOf(error).length === 2,
    );
    assert.deepEqual(resumes(), ["Approved."]);
    assert.equal(parts.drafts.find(target)?.text, "My words.");
    assert.equal(parts.threads.threads.length, 1);
  });

  describe("a draft for an output that no longer waits", () => {
    const open = (argument: unknown) =>
      feedbackCommands({
        ...parts,
        threads: () => Promise.resolve(parts.threads),
        crews: crewsOf(anExecution().crew),
      })["openDrafts"]?.(argument);
    const byLens = { crew: "Writers", kickoffId: "11111111-aaaa", fromLens: true };
    const by = async (...picks: string[]) => {
      const person = new ScriptedPerson(picks.map((pick) => ({ pick })));
      try {
        await open(byLens);
      } finally {
        person.dispose();
      }
      return person.shown;
    };

    beforeEach(() => {
      parts.store.add(anExecution());
      parts.drafts.keep({
        ...target,
        isApprove: false,
        text: "Shorter.\n\nPlease.",
        at: new Date().toISOString(),
      });
      parts.store.update("local-1", () => notWaiting({ state: "completed" }));
    });

    it("has a lens at the top of the document, and can be copied, read and discarded", async () => {
      const { document } = await parts.show(parts.store.find("local-1")!);
      const lens = await waitFor("the lens", async () =>
        (await lenses(document)).find((command) => command?.title === "Unsent Draft…"),
      );
      assert.deepEqual(
        [lens.command, lens.arguments],
        ["crewdeck.openDrafts", [{ ...byLens, crew: anExecution().crew.id }]],
      );
      const [list] = await by("Copy");
      assert.deepEqual(
        [list?.title, list?.text, list?.choices],
        [
          "Unsent draft for “review”, attempt 1",
          "Shorter. Please.",
          ["Copy", "Open in an Editor", "Discard"],
        ],
      );
      assert.equal(await vscode.env.clipboard.readText(), "Shorter.\n\nPlease.");
      await by("Open in an Editor");
      assert.equal(vscode.window.activeTextEditor?.document.getText(), "Shorter.\n\nPlease.");
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
      await by("Discard");
      await waitFor("the lens to go", async () => (await titles(document)).length === 0);
      await assert.rejects(Promise.resolve(open(byLens)), /no unsent draft/);
    });

    it("is returned to a program unchanged, and listed for a person to choose from", async () => {
      assert.deepEqual(await open({ crew: "Writers", kickoffId: "11111111-aaaa" }), [
        { taskId: "review", attempt: 1, isApprove: false, text: "Shorter.\n\nPlease." },
      ]);
      parts.drafts.keep({
        ...target,
        taskId: "publish",
        isApprove: true,
        text: "Good.",
        at: new Date().toISOString(),
      });
      const [list] = await by("publish", "Copy");
      assert.deepEqual(list?.choices, ["review", "publish"]);
      assert.equal(await vscode.env.clipboard.readText(), "Good.");
    });
  });
});
