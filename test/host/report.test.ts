import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { CrewdeckApi } from "../../src/actions/crewdeck-api.ts";
import { kickOff, polled, run, set } from "./extension.ts";
import { serveCrew, type RealService } from "./real-service.ts";
import { ScriptedPerson } from "./scripted-person.ts";

describe("A problem report", () => {
  let service: RealService;
  let api: CrewdeckApi;
  const secrets = ["Hidden Crew", "hidden topic", "hidden-answer", "127.0.0.1"];

  serveCrew("Hidden Crew", (...given) => ([service, api] = given));

  before(async () => {
    await set("feedback.cannedAnswers", [{ text: "hidden-answer" }]);
    await set("keepEndedExecutions", 7);
    const id = await kickOff("Hidden Crew", { topic: "hidden topic", audience: "guests" });
    await polled("the pause", id, ({ state }) => state === "waiting");
  });

  after(async () => {
    for (const name of ["feedback.cannedAnswers", "keepEndedExecutions"])
      await set(name, undefined);
  });

  it("has versions, changed settings, counts and the last problems, without names, addresses, tokens, inputs or outputs", async () => {
    await assert.rejects(
      run("kickoff", { crew: "Hidden Crew", inputs: { topic: "hidden topic" }, form: false }),
    );
    await assert.rejects(run("openExecution", { crew: "Hidden Crew", kickoffId: "hidden topic" }));
    const text = await run<string>("reportProblem", {});
    assert.match(text, /^# Problem Report\n\n> A report of a problem .* no tokens/);
    assert.ok(
      text.includes(vscode.version) && text.includes(`${process.platform} ${process.arch}`),
    );
    assert.match(
      text,
      /\n- Changed settings: .*crewdeck\.crews, .*crewdeck\.keepEndedExecutions, .*crewdeck\.feedback\.cannedAnswers/,
    );
    assert.doesNotMatch(text, /crewdeck\.notifications/, "what is as it was made");
    assert.match(text, /\n- Crews: 1 connected, \d+ local, .*\n- Executions: waiting 1\n/);
    assert.match(
      text,
      /\n- \S+Z crewdeck\.kickoff \(CrewApiError (validation|badRequest) HTTP \d+\)\n/,
    );
    assert.match(text, /\n- \S+Z crewdeck\.openExecution \(UserError\)/);
    for (const secret of [...secrets, service.token, service.userToken, vscode.env.machineId])
      assert.ok(!text.includes(secret), secret);
    assert.doesNotMatch(text, /[\\/](home|root|tmp|Users)[\\/]/, "no folders");
  });

  it("opens as an editable document, which notes that nothing was sent and where to send it", async () => {
    const text = await run<string>("reportProblem");
    const { document } = vscode.window.activeTextEditor!;
    assert.equal(document.getText(), text);
    assert.deepEqual([document.isUntitled, document.languageId], [true, "markdown"]);
    // The manifest has no issue poller, so no address is shown.
    assert.match(text, /Nothing was sent[^]*Send it to the person who gave you Crewdeck\./);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  });

  it("is offered only for unexpected errors", async () => {
    const person = new ScriptedPerson([]);
    try {
      const [execution] = api.executions();
      Object.assign(vscode.window, {
        showInputBox: () => Promise.reject(new TypeError("Nobody foresaw this.")),
      });
      await run("renameExecution", {
        kind: "execution",
        crew: "Hidden Crew",
        kickoffId: execution!.kickoffId,
      });
      await run("openExecution", { kind: "execution", crew: "Hidden Crew", kickoffId: "nobody's" });
      const isOfferedBeside = (pattern: RegExp) =>
        person.shown.find(({ text }) => pattern.test(text))?.choices?.includes("Report a Problem…");
      assert.deepEqual(
        [isOfferedBeside(/Nobody foresaw this/), isOfferedBeside(/No execution with the ID/)],
        [true, false],
      );
    } finally {
      person.dispose();
    }
  });
});
