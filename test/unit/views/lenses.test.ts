import assert from "node:assert/strict";
import { without, type Execution } from "../../../src/executions/model.ts";
import { documentLenses } from "../../../src/views/document/lenses.ts";
import { renderExecution } from "../../../src/views/document/render.ts";
import { anExecution, notWaiting } from "./executions.ts";

describe("The lenses above the title of an execution's document", () => {
  const lensesOf = (execution: Execution, circumstances = {}, canStop = false) =>
    documentLenses(execution, renderExecution(execution), circumstances, canStop).filter(
      ({ line }) => line === 0,
    );
  const failed = (state: "failed" | "stopped") => notWaiting({ kickoffIds: [state], state });
  const lost = notWaiting({ localId: "lost", kickoffIds: [], state: "unconfirmed" });

  it("run a failed or stopped execution again, if it is known what was sent", () => {
    const crew = anExecution().crew.id;
    for (const state of ["failed", "stopped"] as const) {
      const target = { crew, kickoffId: state, fromLens: true };
      assert.deepEqual(
        lensesOf(failed(state)).map(({ command }) => command),
        [
          { title: "Run Again…", command: "crewdeck.runAgain", arguments: [target] },
          { title: "Run Again in Form…", command: "crewdeck.runAgainInForm", arguments: [target] },
        ],
      );
    }
    assert.deepEqual(lensesOf(without(failed("failed"), "request")), []);
    assert.deepEqual(lensesOf(notWaiting()), []);
  });

  it("track what may have started by its ID, run it again or remove it from the list", () => {
    const commands = lensesOf(lost).map(({ command }) => command);
    assert.deepEqual(
      commands.map(({ title, command }) => [title, command]),
      [
        ["Track by Its ID…", "crewdeck.trackExecution"],
        ["Run Again…", "crewdeck.runAgain"],
        ["Remove from List", "crewdeck.untrackExecution"],
      ],
    );
    const { id: crew } = anExecution().crew;
    assert.deepEqual(commands[0]?.arguments, [{ crew, fromLens: true }]);
    assert.deepEqual(commands.at(-1)?.arguments, [{ crew, kickoffId: "lost", fromLens: true }]);
  });

  it("lead to the output that waits", () => {
    const [go] = lensesOf(anExecution()).map(({ command }) => command);
    assert.equal(go?.title, "$(arrow-down)\u00a0Go to Output");
    assert.equal(go.command, "crewdeck.openExecution");
    assert.deepEqual(lensesOf(notWaiting()), []);
  });

  it("stop what has not ended, if its crew may be able to, and show that it is stopping", () => {
    const titles = (execution: Execution, canStop = true) =>
      lensesOf(execution, {}, canStop).map(({ command }) => [command.title, command.command]);
    const local = { id: "local:file:///crew", name: "Writers", url: "http://127.0.0.1:1" };
    assert.deepEqual(titles(notWaiting({ crew: local })), [["Stop…", "crewdeck.stop"]]);
    assert.deepEqual(titles(notWaiting()), [["Try to Stop…", "crewdeck.tryToStop"]]);
    assert.deepEqual(titles(notWaiting(), false), []);
    assert.deepEqual(titles(without(failed("stopped"), "request")), []);
    const stop = { at: "2026-10-21T12:03:00.000Z", outcome: "answered" } as const;
    assert.deepEqual(titles(notWaiting({ stop })), [["Stopping…", ""]]);
    const unanswered = notWaiting({ stop: { ...stop, outcome: "unanswered" } });
    assert.deepEqual(titles(unanswered), [["Try to Stop…", "crewdeck.tryToStop"]]);
  });

  it("continue or discard what was interrupted, which can't be stopped", () => {
    const lenses = lensesOf(notWaiting(), { isInterrupted: true }, true);
    assert.deepEqual(
      lenses.map(({ command }) => command.title),
      ["Continue", "Discard…"],
    );
  });

  it("are none while the kickoff request is being sent", () => {
    assert.deepEqual(lensesOf(lost, { isKickingOff: true }), []);
  });
});
