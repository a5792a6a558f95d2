import assert from "node:assert/strict";
import { noActivity } from "../../../src/executions/activity.ts";
import type { Execution } from "../../../src/executions/model.ts";
import type { Circumstances } from "../../../src/view/actions.ts";
import { viewOf } from "../../../src/view/execution-view.ts";
import { textOf } from "../../../src/view/text.ts";
import { documentLenses } from "../../../src/views/document/lenses.ts";
import { anExecution, notWaiting } from "./executions.ts";

describe("The lenses above the title of an execution's document", () => {
  const lensesOf = (execution: Execution, circumstances: Circumstances = {}) => {
    const view = viewOf(execution, noActivity, circumstances);
    return documentLenses(execution, view, textOf(view))
      .filter(({ line }) => line === 0)
      .map(({ command }) => command);
  };

  it("run the commands of what can be done next", () => {
    const target = { crew: anExecution().crew.id, kickoffId: "failed", by: "person" };
    assert.deepEqual(lensesOf(notWaiting({ kickoffIds: ["failed"], state: "failed" })), [
      { title: "Run Again…", command: "crewdeck.runAgain", arguments: [target] },
      { title: "Compare With…", command: "crewdeck.compareExecutions", arguments: [target] },
    ]);
    const stop = { at: "2026-10-21T12:03:00.000Z", outcome: "answered" } as const;
    const stopping = lensesOf(notWaiting({ stop }), { canStop: true });
    assert.deepEqual(stopping, [{ title: "Stopping…", command: "" }]);
  });

  it("lead to the output that waits", () => {
    const [go] = lensesOf(anExecution());
    assert.equal(go?.title, "$(arrow-down)\u00a0Go to Output");
    assert.equal(go.command, "crewdeck.openExecution");
  });
});
