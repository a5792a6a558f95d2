import assert from "node:assert/strict";
import * as vscode from "vscode";
import { CrewApi } from "../support/crew-api.ts";
import { waitFor } from "../support/wait.ts";
import { readAsText } from "./read-as-text.ts";
import { allTabs, closeEditors, codeLensesIn, kickOff, run, untilState } from "./extension.ts";
import { serveCrew } from "./real-service.ts";
import { withPerson } from "./scripted-person.ts";

describe("Comparing attempts, and feedback sent elsewhere", () => {
  readAsText();
  /** Another client of the same crew. */
  let elsewhere: CrewApi;
  const crew = "Compared";

  serveCrew(crew, (service) => (elsewhere = new CrewApi(service)));

  /** An execution that waits with this attempt. */
  const start = async (attempt = 1): Promise<string> => {
    const kickoffId = await kickOff(crew);
    await untilState(kickoffId, "waiting", 1);
    if (attempt === 2) {
      await run("reject", { crew, kickoffId, feedback: "Name one tea." });
      await untilState(kickoffId, "waiting", 2);
    }
    return kickoffId;
  };
  const activeTab = () => vscode.window.tabGroups.activeTabGroup.activeTab;
  const shownDiff = () =>
    waitFor("the diff", () => {
      const { input, label } = activeTab() ?? {};
      return input instanceof vscode.TabInputTextDiff && { input, label };
    });
  const shownPage = (kickoffId: string) =>
    waitFor("the page", () => {
      const { input } = activeTab() ?? {};
      return input instanceof vscode.TabInputCustom && input.uri.query === kickoffId;
    });

  it("compares the new attempt with the previous one, by lens and by command, and keeps both readable with the feedback between them", async () => {
    const kickoffId = await start();
    await assert.rejects(run("compareAttempts", { crew, kickoffId }), /no two outputs to compare/);
    await run("reject", { crew, kickoffId, feedback: "Name one tea." });
    await untilState(kickoffId, "waiting", 2);
    await run("openExecution", { crew, kickoffId });
    const { document } = vscode.window.activeTextEditor!;
    const lens = await waitFor("the lens over attempt 2", async () => {
      const lenses = await codeLensesIn(document.uri);
      return lenses.find(({ command }) => command?.title === "Compare with Attempt 1");
    });
    assert.equal(document.lineAt(lens.range.start.line).text, "### Attempt 2");
    const { command, arguments: given } = lens.command!;
    const compared = { taskId: "outline", previous: 1, attempt: 2 };
    assert.deepEqual(
      await vscode.commands.executeCommand(command, ...(given as unknown[])),
      compared,
    );
    const { input, label } = await shownDiff();
    assert.equal(label, "outline: attempt 1 ↔ attempt 2");
    const [before, after] = await Promise.all(
      [input.original, input.modified].map(async (uri) =>
        (await vscode.workspace.openTextDocument(uri)).getText(),
      ),
    );
    assert.doesNotMatch(before!, /Name one tea/);
    assert.match(after!, /Name one tea/);
    await run("approve", { crew, kickoffId });
    await untilState(kickoffId, "completed");
    const both = /### Attempt 1[^]*Rejected\n\n> Name one tea\.[^]*### Attempt 2[^]*Approved/;
    await waitFor("both attempts with the feedback", () => both.test(document.getText()));
    assert.deepEqual(await run("compareAttempts", { crew, kickoffId }), compared);
  });

  it("approves inside the comparison the attempt that is shown there, and rejects it on the page", async () => {
    const kickoffId = await start(2);
    await run("compareAttempts", { crew, kickoffId });
    const { input } = await shownDiff();
    const { shown } = await withPerson([], async () => {
      await run("reject", input.modified);
      await shownPage(kickoffId);
      assert.equal((await elsewhere.status(kickoffId)).pending_human_input?.attempt, 2);
      await run("approve", input.modified);
    });
    assert.deepEqual(shown, [], "the output is on the screen");
    await untilState(kickoffId, "completed");
  });

  it("compares two executions in one tab, returns the pair, and refuses what is no other execution", async () => {
    const started = async (topic: string) => {
      return { crew, kickoffId: await kickOff(crew, { topic, audience: "guests" }) };
    };
    const [one, other] = [await started("otters"), await started("sharks")];
    const shown = (wanted: string) =>
      waitFor(wanted, () => {
        const labels = allTabs()
          .map(({ label }) => label)
          .filter((label) => label.includes("↔"));
        return String(labels) === wanted;
      });
    await closeEditors();
    const pair = { ...one, with: other };
    assert.deepEqual(await run("compareExecutions", pair), pair);
    await shown("otters ↔ sharks");
    await run("compareExecutions", { ...other, with: one });
    await shown("sharks ↔ otters");
    const rows = [other, one].map((each) => ({ kind: "execution", ...each }));
    const selected: unknown = await vscode.commands.executeCommand(
      "crewdeck.compareExecutions",
      ...[rows[0], rows],
    );
    assert.deepEqual(selected, pair, "the earlier one is on the left");
    await shown("otters ↔ sharks");
    for (const [wrong, message] of [
      [one, /Name two executions/],
      [{ crew }, /“with\.kickoffId” is missing/],
      [{ crew, kickoffId: "none" }, /No execution with the ID “none”/],
      [2, /The argument must be one object, not number/],
    ] as const)
      await assert.rejects(run("compareExecutions", { ...one, with: wrong }), message);
    await shown("otters ↔ sharks");
  });
});
