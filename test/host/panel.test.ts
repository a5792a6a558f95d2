import assert from "node:assert/strict";
import * as v from "valibot";
import * as vscode from "vscode";
import { Panel } from "../../src/editor/panel.ts";
import { FakeClock } from "../unit/executions/fake-clock.ts";

/** Time also passes while something is done. */
class WorkingClock extends FakeClock {
  worked = 0;

  override now(): number {
    return super.now() + this.worked;
  }
}

describe("A page that shows much", () => {
  it("is updated less often, so that it can be used", async () => {
    const clock = new WorkingClock();
    const tab = vscode.window.createWebviewPanel("crewdeck.test", "Test", vscode.ViewColumn.Active);
    let shown = 0;
    const panel = new Panel(tab, {
      ...{ part: "timeline", name: "The test", title: "Test", pace: 100, clock },
      extension: vscode.extensions.getExtension("crewdeck.crewdeck")!.extensionUri,
      ready: Promise.resolve(),
      messages: v.object({ type: v.literal("ready") }),
      on: { ready: () => undefined },
      view: () => {
        shown += 1;
        // The first update takes no time, each later one 50 ms.
        if (shown > 1) clock.worked += 50;
        return { type: "empty" };
      },
    });
    try {
      panel.begin();
      panel.changed();
      await clock.pass(100);
      assert.equal(shown, 2, "after the pace");
      panel.changed();
      await clock.pass(900);
      assert.equal(shown, 2);
      await clock.pass(50);
      assert.equal(shown, 3, "after twenty times as long as the last update took");
    } finally {
      tab.dispose();
    }
  });
});
