import assert from "node:assert/strict";
import * as vscode from "vscode";
import { actionsOn } from "../../src/views/notification-actions.ts";
import { waitFor } from "../support/wait.ts";
import { anExecution } from "../unit/views/executions.ts";
import { readAsText } from "./read-as-text.ts";
import { closeEditors, codeLensesIn, kickOff, polled, run } from "./extension.ts";
import { serveCrew, type RealService } from "./real-service.ts";
import { withPerson } from "./scripted-person.ts";

describe("Comparing attempts, and feedback sent elsewhere", () => {
  readAsText();
  let service: RealService;
  const crew = "Compared";

  serveCrew(crew, (given) => (service = given));

  const start = async (): Promise<string> => {
    const kickoffId = await kickOff(crew);
    await waits(kickoffId, 1);
    return kickoffId;
  };
  const ended = (kickoffId: string) =>
    polled("its end", kickoffId, ({ state }) => state === "completed");
  const waits = (kickoffId: string, attempts: number) =>
    polled(
      `attempt ${attempts}`,
      kickoffId,
      ({ state, tasks }) =>
        state === "waiting" &&
        tasks.find(({ taskId }) => taskId === "outline")?.attempts.length === attempts,
    );
  /** Sends feedback as another client of the same crew. */
  const elsewhere = async (
    kickoffId: string,
    isApprove: boolean,
    feedback = "From elsewhere.",
  ): Promise<void> => {
    const body = JSON.stringify({
      execution_id: kickoffId,
      task_id: "outline",
      human_feedback: feedback,
      is_approve: isApprove,
    });
    const answer = await fetch(`${service.url}/resume`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      body,
    });
    assert.equal(answer.status, 200);
  };
  const statusOf = async (kickoffId: string) =>
    (await (
      await fetch(`${service.url}/${kickoffId}/status`, {
        headers: { authorization: `Bearer ${service.token}` },
      })
    ).json()) as { status: string; pending_human_input?: { attempt: number } };

  it("compares the new attempt with the previous one, by lens and by command, and keeps both readable with the feedback between them", async () => {
    const kickoffId = await start();
    await assert.rejects(run("compareAttempts", { crew, kickoffId }), /no two outputs to compare/);
    await run("reject", { crew, kickoffId, feedback: "Name one tea." });
    await waits(kickoffId, 2);
    await run("openExecution", { crew, kickoffId });
    const { document } = vscode.window.activeTextEditor!;
    const lens = await waitFor("the lens over attempt 2", async () => {
      const lenses = await codeLensesIn(document.uri);
      return lenses.find(({ command }) => command?.title === "Compare with Attempt 1");
    });
    assert.equal(document.lineAt(lens.range.start.line).text, "### Attempt 2");
    const made = await vscode.commands.executeCommand(
      lens.command!.command,
      ...(lens.command!.arguments as unknown[]),
    );
    assert.deepEqual(made, { taskId: "outline", previous: 1, attempt: 2 });
    const tab = await waitFor("the diff", () => {
      const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
      return input instanceof vscode.TabInputTextDiff ? input : undefined;
    });
    assert.equal(
      vscode.window.tabGroups.activeTabGroup.activeTab?.label,
      "outline: attempt 1 ↔ attempt 2",
    );
    const [before, after] = await Promise.all(
      [tab.original, tab.modified].map(async (uri) =>
        (await vscode.workspace.openTextDocument(uri)).getText(),
      ),
    );
    assert.doesNotMatch(before!, /Name one tea/);
    assert.match(after!, /Name one tea/);
    await run("approve", { crew, kickoffId });
    await ended(kickoffId);
    await waitFor("both attempts and the feedback between them", () =>
      /### Attempt 1[\s\S]*Your feedback: rejected\n\n> Name one tea\.[\s\S]*### Attempt 2[\s\S]*Your feedback: approved/.test(
        document.getText(),
      ),
    );
    assert.deepEqual(await run("compareAttempts", { crew, kickoffId }), {
      taskId: "outline",
      previous: 1,
      attempt: 2,
    });
  });

  /** The page of that execution, in the active tab. */
  const shownPage = (kickoffId: string) =>
    waitFor("the page", () => {
      const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
      return input instanceof vscode.TabInputCustom && input.uri.path.includes(kickoffId);
    });

  it("approves inside the comparison the attempt that is shown there, and rejects it on the page", async () => {
    const kickoffId = await start();
    await run("reject", { crew, kickoffId, feedback: "Name one tea." });
    await waits(kickoffId, 2);
    await run("compareAttempts", { crew, kickoffId });
    const { input } = await waitFor(
      "the comparison",
      () =>
        vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof
          vscode.TabInputTextDiff && {
          input: vscode.window.tabGroups.activeTabGroup.activeTab.input,
        },
    );
    const { shown } = await withPerson([], async () => {
      await run("reject", input.modified);
      await shownPage(kickoffId);
      assert.equal((await statusOf(kickoffId)).pending_human_input?.attempt, 2, "nothing was sent");
      await run("approve", input.modified);
    });
    assert.deepEqual(shown, [], "the output is on the screen");
    await ended(kickoffId);
  });

  it("approves and rejects with a notification's buttons: “Approve” shows the output, “Reject…” opens the page", async () => {
    const kickoffId = await start();
    const waiting = anExecution({
      crew: { id: crew, name: crew, url: service.url },
      kickoffIds: [kickoffId],
      waiting: { taskId: "outline", attempt: 1, since: new Date().toISOString() },
    });
    const press = async (title: string) =>
      await actionsOn(waiting, "waiting")
        .find((action) => action.title === title)
        ?.run();
    await press("Reject…");
    await shownPage(kickoffId);
    assert.equal((await statusOf(kickoffId)).pending_human_input?.attempt, 1, "nothing was sent");
    await closeEditors();
    const { shown } = await withPerson([{ press: "Approve" }], () => press("Approve"));
    assert.match(shown[0]?.text ?? "", /^Approve “outline” of “/);
    await ended(kickoffId);
  });

  it("detects a pause that another client has answered, before it sends anything", async () => {
    const kickoffId = await start();
    await elsewhere(kickoffId, true);
    await assert.rejects(
      run("reject", { crew, kickoffId, feedback: "Too late." }),
      /not sent: (“outline” has been answered already|the execution has ended)/,
    );
    await waitFor("its end", async () => (await statusOf(kickoffId)).status === "completed");
  });

  it("detects an execution that has ended meanwhile", async () => {
    const kickoffId = await start();
    await elsewhere(kickoffId, true);
    await waitFor(
      "its end at the crew",
      async () => (await statusOf(kickoffId)).status === "completed",
    );
    await assert.rejects(
      run("approve", { crew, kickoffId }),
      /not sent: the execution has ended.*kick it off again/,
    );
  });

  it("detects a newer attempt, which the person hasn't read", async () => {
    const kickoffId = await start();
    await elsewhere(kickoffId, false);
    await waitFor(
      "attempt 2 at the crew",
      async () => (await statusOf(kickoffId)).pending_human_input?.attempt === 2,
    );
    await assert.rejects(
      run("approve", { crew, kickoffId, taskId: "outline", attempt: 1 }),
      /not sent: a newer output of “outline” waits now: attempt 2, and you were at attempt 1/,
    );
    assert.equal((await statusOf(kickoffId)).pending_human_input?.attempt, 2);
  });
});
